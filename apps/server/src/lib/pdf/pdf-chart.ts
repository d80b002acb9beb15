/** Values over time, on paper. */
export interface PdfChart {
  series: readonly { name: string; points: readonly (readonly [at: number, value: number])[] }[]
  /** Epoch ms. */
  from: number
  to: number
  /** Label of a moment on the time axis. */
  timeText(at: number): string
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

const COLOURS = ['#2563eb', '#d97706', '#059669', '#7c3aed', '#dc2626', '#0891b2', '#4d7c0f', '#be185d']
const GREY = '#6b7280'
const LINE = '#e5e7eb'
const AXIS = 52
const LEGEND = 16
const TIMES = 14
const STEPS = 4

/** Draws the lines with both axes and a legend. More series than colours are left out of the picture, not of the table. @returns where it ends */
export function drawChart(pdf: PDFKit.PDFDocument, chart: PdfChart, box: Box): number {
  const shown = chart.series.filter(({ points }) => points.length > 0).slice(0, COLOURS.length)
  if (shown.length === 0) return box.y
  const values = shown.flatMap(({ points }) => points.map(([, value]) => value))
  let low = values.reduce((a, b) => Math.min(a, b))
  let high = values.reduce((a, b) => Math.max(a, b))
  if (low === high) {
    low -= 1
    high += 1
  }
  const plot = {
    x: box.x + AXIS,
    y: box.y + LEGEND,
    width: box.width - AXIS - 8,
    height: box.height - LEGEND - TIMES,
  }
  const left = (at: number) => plot.x + ((at - chart.from) / Math.max(1, chart.to - chart.from)) * plot.width
  const top = (value: number) => plot.y + plot.height - ((value - low) / (high - low)) * plot.height
  const small = { lineBreak: false } as const

  pdf.fontSize(7).lineWidth(0.5)
  for (let step = 0; step <= STEPS; step++) {
    const value = low + ((high - low) * step) / STEPS
    const y = top(value)
    pdf
      .moveTo(plot.x, y)
      .lineTo(plot.x + plot.width, y)
      .strokeColor(LINE)
      .stroke()
    pdf.fillColor(GREY).text(numberText(value), box.x, y - 4, { ...small, width: AXIS - 6, align: 'right' })
    const at = chart.from + ((chart.to - chart.from) * step) / STEPS
    const align = step === 0 ? 'left' : step === STEPS ? 'right' : 'center'
    const x = left(at) - (align === 'left' ? 0 : align === 'right' ? 90 : 45)
    pdf.text(chart.timeText(at), x, plot.y + plot.height + 4, { ...small, width: 90, align })
  }
  let x = plot.x
  for (const [index, { name, points }] of shown.entries()) {
    const colour = COLOURS[index]!
    const label = name.length > 28 ? `${name.slice(0, 27)}…` : name
    const width = 14 + pdf.widthOfString(label) + 14
    if (x + width <= plot.x + plot.width) {
      pdf.rect(x, box.y + 3, 8, 3).fill(colour)
      pdf.fillColor(GREY).text(label, x + 12, box.y, small)
      x += width
    }
    pdf.strokeColor(colour).lineWidth(1)
    for (const [place, [at, value]] of points.entries()) {
      if (place === 0) pdf.moveTo(left(at), top(value))
      else pdf.lineTo(left(at), top(value))
    }
    pdf.stroke()
  }
  return box.y + box.height
}

const numberText = (value: number) => String(Number(value.toPrecision(4)))
