import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { pdfTexts } from '../testing/pdf-text.ts'
import { type PdfDocument, pdfDocument } from './pdf-document.ts'

const spec = (rows: number): PdfDocument => ({
  fileName: 'paper.pdf',
  title: '\u6536\u636e Receipt',
  subtitle: 'below the title',
  facts: [
    { label: 'Company', value: '\u6df1\u5733\u5e02\u7269\u8054\u6709\u9650\u516c\u53f8' },
    { label: 'Lines', value: 'one\ntwo' },
    { label: 'Third', value: 'alone in its row' },
  ],
  table: {
    columns: [
      { title: 'No', share: 1 },
      { title: 'Amount', share: 2, align: 'right' },
    ],
    rows: Array.from({ length: rows }, (_, i) => [`row ${i}`, '\u00a51.00']),
  },
  totals: [{ label: 'Total', value: '\u00a52.00' }],
  notes: ['a note'],
  foot: (page, pages) => `page ${page} of ${pages}`,
  madeAt: new Date('2026-11-27T00:00:00Z'),
})
const texts = async (rows: number) => {
  const reply = await pdfDocument(spec(rows))
  expect([reply.contentType, reply.fileName]).toEqual(['application/pdf', 'paper.pdf'])
  return pdfTexts(await buffer(reply.body))
}

describe('a PDF document', () => {
  it('shows its texts, Chinese among them, with outlines in the font that it carries', async () => {
    const shown = await texts(2)
    for (const text of [
      '\u6536\u636e Receipt',
      '\u6df1\u5733\u5e02\u7269\u8054\u6709\u9650\u516c\u53f8',
      'one two',
      'alone in its row',
      'row 1',
      '\u00a52.00',
      'a note',
      'page 1 of 1',
    ])
      expect(shown.join('|')).toContain(text)
  })

  it('goes on to further pages under the same head, no row lost', async () => {
    const shown = await texts(150)
    const all = shown.join('|')
    for (let i = 0; i < 150; i++) expect(shown).toContain(`row ${i}`)
    const pages = Number(/page 1 of (\d+)/.exec(all)?.[1])
    expect(pages).toBeGreaterThan(2)
    expect(shown.filter(text => text === 'Amount')).toHaveLength(pages)
  })
})
