/** The documents people agree to, as files: `{document}/{version}.{language}.md`; a version is the day it takes effect. */
const FILES = import.meta.glob('./*/*.md', { query: '?raw', import: 'default' }) as Record<
  string,
  () => Promise<string>
>

export interface DocumentVersions {
  document: string
  /** Newest first. */
  versions: string[]
}

const NAMES = ['terms-of-service', 'privacy-policy']

export const DOCUMENT_VERSIONS: readonly DocumentVersions[] = NAMES.map(document => ({
  document,
  versions: [
    ...new Set(
      Object.keys(FILES)
        .map(file => /^\.\/([\w-]+)\/(\d{4}-\d\d-\d\d)\.(?:zh|en)\.md$/.exec(file))
        .filter(match => match?.[1] === document)
        .map(match => match![2]!),
    ),
  ]
    .sort()
    .reverse(),
}))

export async function loadDocument(document: string, version: string, language: 'zh' | 'en'): Promise<string> {
  const load = FILES[`./${document}/${version}.${language}.md`]
  if (!load) throw new Error(`${document} ${version} does not exist in ${language}`)
  return load()
}

/** Whether a version holds already on a day (both as `2026-11-01`). */
export function isInForce(version: string, today: string): boolean {
  return version <= today
}
