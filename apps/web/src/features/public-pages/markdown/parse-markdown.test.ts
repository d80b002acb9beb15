import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseInline, parseMarkdown } from './parse-markdown.ts'

describe('our documents', () => {
  it('are read into blocks', () => {
    const blocks = parseMarkdown(
      '# Title\n\nOne\nline.\n\n- a\n- b\n  goes on\n\n1. x\n2. y\n\n> note\n\n| a | b |\n|---|---|\n| `x|y` | 2 |\n\n```sh\n# no heading\ncurl\n```\n## Title',
      'p-',
    )
    expect(blocks).toEqual([
      { kind: 'heading', level: 1, text: 'Title', id: 'p-title' },
      { kind: 'paragraph', text: 'One line.' },
      { kind: 'list', ordered: false, items: ['a', 'b goes on'] },
      { kind: 'list', ordered: true, items: ['x', 'y'] },
      { kind: 'quote', text: 'note' },
      { kind: 'table', head: ['a', 'b'], rows: [['`x|y`', '2']] },
      { kind: 'code', language: 'sh', text: '# no heading\ncurl' },
      { kind: 'heading', level: 2, text: 'Title', id: 'p-title-1' },
    ])
  })

  it('have tables without a head', () => {
    expect(parseMarkdown('| | |\n|---|:-:|\n| a | b |')).toEqual([
      { kind: 'table', head: ['', ''], rows: [['a', 'b']] },
    ])
  })

  it('may hold code, strong words and links, and no other addresses', () => {
    expect(
      parseInline('a `b` **c** *d* [e](https://x) [f](javascript:alert(1)) [g](../README.md) [h](#i) <b>'),
    ).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', text: 'd' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'e', href: 'https://x' },
      { kind: 'text', text: ' ' },
      { kind: 'text', text: 'f' },
      { kind: 'text', text: ') ' },
      { kind: 'text', text: 'g' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'h', href: '#i' },
      { kind: 'text', text: ' <b>' },
    ])
  })

  it('read the device protocol to its end, and whatever is broken', () => {
    const protocol = parseMarkdown(
      readFileSync(new URL('../../../../../../docs/device-protocol.md', import.meta.url), 'utf8'),
    )
    const count = (kind: string) => protocol.filter(block => block.kind === kind).length
    expect(count('heading')).toBeGreaterThan(6)
    expect(count('table')).toBeGreaterThan(3)
    expect(count('code')).toBeGreaterThan(1)
    for (const broken of ['```', '|', '- ', '#', '> ', '  indented', '|a|\n|', '```x\n```\n```'])
      expect(Array.isArray(parseMarkdown(broken))).toBe(true)
  })
})
