import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'

describe('markdown in pieces', () => {
  it('is parted at empty lines', () => {
    expect(blocksOf('# A\n\ntext\nmore\n\n\n| a |\n|---|\n')).toEqual(['# A', 'text\nmore', '| a |\n|---|'])
    expect(blocksOf('')).toEqual([])
    expect(blocksOf('\n\n  \n')).toEqual([])
  })

  it('leaves code whole, whatever stands in it', () => {
    const code = '```js\na\n\n~~~\n# no head\n```'
    expect(blocksOf(`${code}\n\nafter`)).toEqual([code, 'after'])
    expect(blocksOf('````\n```\n\nx\n````\n\ny')).toEqual(['````\n```\n\nx\n````', 'y'])
    expect(blocksOf('```\nopen\n\nstill')).toEqual(['```\nopen\n\nstill'])
  })

  it('leaves a list whole, with what is indented below its items', () => {
    const list = '1. one\n\n   more\n\n2. two\n\n   ```\n   x\n\n   y\n   ```'
    expect(blocksOf(`${list}\n\nafter`)).toEqual([list, 'after'])
    expect(blocksOf('text\n\n- a\n- b\n\n- c')).toEqual(['text', '- a\n- b\n\n- c'])
  })
})
