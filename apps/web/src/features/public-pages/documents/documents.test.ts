import { readdirSync, readFileSync } from 'node:fs'
import { DOCUMENTS } from '@thingwright/contracts/terms'
import { describe, expect, it } from 'vitest'
import { parseMarkdown } from '../markdown/parse-markdown.ts'
import { diffLines } from './diff-lines.ts'
import { DOCUMENT_VERSIONS, isInForce } from './documents.ts'

describe('what changed', () => {
  const diff = (a: string, b: string) =>
    diffLines(a, b).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`)

  it('is shown line by line', () => {
    expect(diff('a\nb\n\nc', 'a\nB\nc\nd')).toEqual([' a', '-b', '+B', ' c', '+d'])
    expect(diff('', 'a')).toEqual(['+a'])
    expect(diff('a', '')).toEqual(['-a'])
    expect(diff('x\r\ny', 'x\ny ')).toEqual([' x', ' y'])
  })

  it('makes one text out of the other', () => {
    let seed = 1
    const random = (n: number) => {
      seed = (seed * 1103515245 + 12345) >>> 0
      return seed % n
    }
    for (let round = 0; round < 100; round++) {
      const text = () => Array.from({ length: random(12) }, () => 'abc'[random(3)]).join('\n')
      const [a, b] = [text(), text()]
      const lines = diffLines(a, b)
      const side = (kind: string) => lines.filter(line => line.kind !== kind).map(line => line.text)
      expect(side('added').join('\n')).toBe(a)
      expect(side('removed').join('\n')).toBe(b)
    }
  })
})

describe('the documents', () => {
  it('are those that the server asks consent to, in the same version, in both languages with the same parts', () => {
    const newest = Object.fromEntries(DOCUMENT_VERSIONS.map(({ document, versions }) => [document, versions[0]]))
    expect(newest).toEqual(DOCUMENTS)
    for (const { document } of DOCUMENT_VERSIONS) {
      const folder = new URL(`./${document}/`, import.meta.url)
      for (const file of readdirSync(folder).filter(name => name.endsWith('.zh.md'))) {
        const headings = (name: string) =>
          parseMarkdown(readFileSync(new URL(name, folder), 'utf8')).flatMap(block =>
            block.kind === 'heading' ? [block.level] : [],
          )
        expect(headings(file.replace('.zh.', '.en.')), file).toEqual(headings(file))
      }
    }
  })

  it('hold from their day on', () => {
    expect(isInForce('2026-11-01', '2026-11-01')).toBe(true)
    expect(isInForce('2026-11-02', '2026-11-01')).toBe(false)
  })
})
