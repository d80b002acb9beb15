import { ALL_WORDS } from './all-words.ts'

type Words = Readonly<Record<string, string>>
/** A word and what people say for it, several divided by `|`. */
type Heard = readonly (readonly [word: string, said: string])[]

/** What a module's objects, what is done to them, and its rights are called. A part that it does not need is left out. */
export interface LanguageWords {
  /** Kinds of objects of the operation log. */
  noun: Words
  /** What was done, behind its kind. */
  verb: Words
  /** Kind and verb in one, `api_key_revoke`. */
  whole: Words
  /** The same for what was refused or failed. */
  tried: Words
  /** What rights are about. */
  resource: Words
  /** What rights let do. */
  action: Words
  /** Texts of errors by their codes, with `{placeholders}`. */
  error: Words
}

/** A page's place in the side menu, where the menu that comes with the product does not name its address. */
export interface MenuPlace {
  /** Key of the group that it stands in, behind what is there: `admin`. */
  under: string
  path: string
  zh: string
  en: string
  /** SVG of 16 × 16. */
  icon: string
}

/** A file of the folder `words`: the words of one module, in both languages, for console and server. */
export interface ModuleWords {
  zh: Partial<LanguageWords>
  en: Partial<LanguageWords>
  menu?: readonly MenuPlace[]
  /** How people name rights, the narrower first. */
  heard?: { resource?: Heard; action?: Heard }
}

const PARTS = ['noun', 'verb', 'whole', 'tried', 'resource', 'action', 'error'] as const

/** The words of all modules in one language. */
export function allWords(language: 'zh' | 'en'): LanguageWords {
  const of = (part: (typeof PARTS)[number]) =>
    Object.assign({}, ...ALL_WORDS.map(words => words[language][part])) as Words
  return Object.fromEntries(PARTS.map(part => [part, of(part)])) as unknown as LanguageWords
}

/** How people name rights, those of later modules first: they are narrower. */
export function heardWords(part: 'resource' | 'action'): Heard {
  return ALL_WORDS.toReversed().flatMap(words => words.heard?.[part] ?? [])
}

/** Places of the modules' pages in the side menu. */
export const menuPlaces = (): readonly MenuPlace[] => ALL_WORDS.flatMap(words => words.menu ?? [])
