import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { setImmediate as breathe } from 'node:timers/promises'
import { StreamReply } from '../http.ts'
import { drawChart, type PdfChart } from './pdf-chart.ts'

const require = createRequire(import.meta.url)

export interface PdfFact {
  label: string
  value: string
}

export interface PdfColumn {
  title: string
  /** Its part of the width; the parts of a table need not add up to anything. */
  share: number
  align?: 'left' | 'right'
}

export interface PdfDocument {
  /** With `.pdf`. */
  fileName: string
  title: string
  /** Below the title, in grey. */
  subtitle: string
  facts: readonly PdfFact[]
  table: { columns: readonly PdfColumn[]; rows: readonly (readonly string[])[] }
  /** Sums below the table, on the right. */
  totals: readonly PdfFact[]
  notes: readonly string[]
  /** At the foot of each page. */
  foot: (page: number, pages: number) => string
  madeAt: Date
  /** Wide paper, for tables of many columns. */
  landscape?: boolean
  /** Values over time, drawn above the table. */
  chart?: PdfChart
}

const MARGIN = 48
const GREY = '#6b7280'
const INK = '#111827'
const LINE = '#d1d5db'
const CHART_HEIGHT = 170
/** Rows laid out in one go: some milliseconds, so that other requests are answered in between. */
const BATCH = 50

/** Control characters have no picture, and a cell is one text. */
const plain = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ')

/**
 * A document of one title, facts, a table and notes, on A4, as a PDF to download. Chinese is drawn with Noto Sans SC, of
 * which the file carries the characters that it needs. Rows that do not fit go on to further pages under the same head.
 */
export async function pdfDocument(spec: PdfDocument): Promise<StreamReply> {
  // Loaded at the first document: a server that prints nothing does not hold it.
  const [{ default: Pdf }, font] = await Promise.all([
    import('pdfkit'),
    readFile(require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf')),
  ])
  const pdf = new Pdf({
    size: 'A4',
    layout: spec.landscape ? 'landscape' : 'portrait',
    margin: MARGIN,
    bufferPages: true,
    // pdfkit takes a font's bytes as well as its path; its types name the path only.
    font: font as unknown as string,
    info: { Title: spec.title, CreationDate: spec.madeAt },
  })
  const parts: Buffer[] = []
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('data', (part: Buffer) => parts.push(part))
    pdf.on('end', resolve)
    pdf.on('error', reject)
  })
  const width = pdf.page.width - 2 * MARGIN
  const bottom = pdf.page.height - MARGIN - 24

  pdf.fillColor(INK).fontSize(20).text(plain(spec.title), MARGIN, MARGIN, { width, align: 'center' })
  pdf.fillColor(GREY).fontSize(9).text(plain(spec.subtitle), { width, align: 'center' }).moveDown(1.5)
  const half = width / 2
  for (let i = 0; i < spec.facts.length; i += 2) {
    const y = pdf.y
    const heights = spec.facts.slice(i, i + 2).map(({ label, value }, column) => {
      const x = MARGIN + column * half
      pdf.fontSize(9).fillColor(GREY).text(plain(label), x, y, { width: 84 })
      pdf.fillColor(INK).text(plain(value), x + 88, y, { width: half - 100 })
      return pdf.y
    })
    pdf.y = Math.max(...heights) + 4
  }
  pdf.y += 10
  if (spec.chart) {
    pdf.y = drawChart(pdf, spec.chart, { x: MARGIN, y: pdf.y, width, height: CHART_HEIGHT })
    pdf.y += 14
  }

  const { columns, rows } = spec.table
  const whole = columns.reduce((sum, { share }) => sum + share, 0)
  const widths = columns.map(({ share }) => (width * share) / whole)
  const line = (y: number) =>
    pdf
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + width, y)
      .lineWidth(0.5)
      .strokeColor(LINE)
      .stroke()
  const row = (cells: readonly string[], color: string) => {
    pdf.fontSize(8.5).fillColor(color)
    const y = pdf.y + 4
    let x = MARGIN
    let end = y
    for (const [i, cell] of cells.entries()) {
      pdf.text(plain(cell), x + 2, y, { width: widths[i]! - 4, align: columns[i]!.align ?? 'left' })
      end = Math.max(end, pdf.y)
      x += widths[i]!
    }
    pdf.y = end + 3
    line(pdf.y)
  }
  const heightOf = (cells: readonly string[]) => {
    pdf.fontSize(8.5)
    return 7 + Math.max(...cells.map((cell, i) => pdf.heightOfString(plain(cell), { width: widths[i]! - 4 })))
  }
  const head = columns.map(({ title }) => title)
  row(head, GREY)
  for (const [i, cells] of rows.entries()) {
    if (i % BATCH === BATCH - 1) await breathe()
    if (pdf.y + heightOf(cells) > bottom) {
      pdf.addPage()
      row(head, GREY)
    }
    row(cells, INK)
  }

  const room = (height: number) => {
    if (pdf.y + height > bottom) pdf.addPage()
  }
  pdf.y += 10
  for (const { label, value } of spec.totals) {
    room(18)
    const y = pdf.y
    pdf.fontSize(10).fillColor(GREY).text(plain(label), MARGIN, y, { width: half, align: 'right' })
    pdf.fillColor(INK).text(plain(value), MARGIN + half + 8, y, { width: half - 10, align: 'right' })
    pdf.y += 3
  }
  pdf.y += 12
  for (const note of spec.notes) {
    room(pdf.fontSize(8.5).heightOfString(plain(note), { width }))
    pdf.fillColor(GREY).text(plain(note), MARGIN, pdf.y, { width })
  }

  const pages = pdf.bufferedPageRange().count
  for (let page = 0; page < pages; page++) {
    pdf.switchToPage(page)
    // Below the margin a text would begin a page of its own.
    pdf.page.margins.bottom = 0
    pdf
      .fontSize(8)
      .fillColor(GREY)
      .text(plain(spec.foot(page + 1, pages)), MARGIN, pdf.page.height - MARGIN + 6, {
        width,
        align: 'center',
        lineBreak: false,
      })
  }
  pdf.end()
  await ended
  return new StreamReply(Readable.from([Buffer.concat(parts)]), 'application/pdf', spec.fileName)
}
