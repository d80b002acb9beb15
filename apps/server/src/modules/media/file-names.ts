import { trimmedEnd } from '../../lib/trimmed.ts'

/** Longest name that is kept, in UTF-16 units. */
const MAX_LENGTH = 200

/**
 * A name to show and to download by, made of what the uploader sent: without folders, control characters and the
 * characters that turn the reading direction (they make `gpj.exe` look like a picture). It is never part of a path here.
 */
export function displayName(sent: string): string {
  const last = sent.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const spaced = last
    .normalize('NFC')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const clean = trimmedEnd(spaced, /[. ]/)
  if (clean === '') return 'unnamed'
  if (clean.length <= MAX_LENGTH) return clean
  // The ending says what it is: it stays when the rest is cut.
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? ''
  return (
    clean
      .slice(0, MAX_LENGTH - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '') + ending
  )
}

/** Tags as they are kept: trimmed, each once. */
export function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(tag => tag.normalize('NFC').trim()).filter(tag => tag !== ''))]
}
