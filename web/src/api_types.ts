// What the server says and takes under /v1.

export interface ModelFacts {
  name: string;
  title: string;
  adds: string[];
  labels: string[];
  upos: string[];
}

export interface Models {
  version: string;
  default: string;
  models: ModelFacts[];
}

export interface WordData {
  id: number;
  form: string;
  lemma?: string;
  upos?: string;
  xpos?: string;
  feats?: string;
  head?: number | null;
  deprel?: string;
  deps?: string;
  misc?: string;
  misc_found?: string;
  probability?: number;
  label_probability?: number;
}

export interface MultiwordData {
  first: number;
  last: number;
  form: string;
  [column: string]: unknown;
}

export interface EmptyNodeData {
  after: number;
  index: number;
  [column: string]: unknown;
}

export interface Choices {
  heads: [number, number][];
  labels: [string, number][];
}

export interface RankedTree {
  heads: number[];
  deprels: string[];
  log_probability: number;
}

export interface ParsedData {
  words: WordData[];
  multiwords?: MultiwordData[];
  empty_nodes?: EmptyNodeData[];
  comments?: string[];
  alternatives?: Choices[];
  kbest?: RankedTree[];
  error?: string;
}

export interface Constraints {
  heads?: Record<string, number>;
  labels?: Record<string, string>;
  forbidden?: [number, number][];
  roots?: number[];
}

export interface ParseRequest {
  model?: string;
  text?: string;
  sentences?: { conllu: string }[];
  keep_tags?: boolean;
  options?: { projective?: boolean };
  constraints?: (Constraints | null)[];
  probabilities?: boolean;
  alternatives?: number;
  kbest?: number;
}

export interface WordJudgement {
  head_probability: number | null;
  label_probability: number | null;
  best_head: number;
  best_deprel: string;
  best_probability: number;
}

export interface BrokenRule {
  rule: string;
  word: number;
}

export interface Judgement {
  tree_log_probability: number | null;
  expected_errors: number;
  disagreements: number;
  words: WordJudgement[];
  broken_rules?: BrokenRule[];
  error?: string;
}

export interface ServedSentence {
  conllu: string;
  version: string;
}

export interface ServedTreebank {
  name: string;
  version: string;
  sentences: ServedSentence[];
}
