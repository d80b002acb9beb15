import { inflateSync } from 'node:zlib'

/** What is inside the streams of a PDF, unpacked. */
function streamsOf(pdf: Buffer): Buffer[] {
  const text = pdf.toString('latin1')
  const found: Buffer[] = []
  for (const match of text.matchAll(/\d+ 0 obj\s*<<((?:(?!endobj|stream)[\s\S])*)>>\s*stream\r?\n/g)) {
    const start = match.index + match[0].length
    const raw = pdf.subarray(start, text.indexOf('\nendstream', start))
    found.push(match[1]!.includes('/FlateDecode') ? inflateSync(raw) : raw)
  }
  return found
}

/**
 * Texts that a PDF of `lib/pdf` shows, in the order they were drawn, read back through the table of its one font.
 * Fails when a character has no outline in the font that the file carries: such a text can be copied and not be seen.
 */
export function pdfTexts(pdf: Buffer): string[] {
  const streams = streamsOf(pdf)
  const table = streams.find(bytes => bytes.includes('begincmap'))?.toString('latin1')
  const font = streams.find(bytes => bytes.subarray(0, 4).toString('latin1') === 'true')
  if (!table || !font) throw new Error('the PDF has no table of characters or no font')
  const letters = [...table.matchAll(/<([0-9a-f]+)> <([0-9a-f]+)> \[([^\]]*)\]/g)].flatMap(([, first, , list]) =>
    [...list!.matchAll(/<([^>]*)>/g)].map(
      ([, hex], i) =>
        [
          Number.parseInt(first!, 16) + i,
          Buffer.from(hex!.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
        ] as const,
    ),
  )
  const letterOf = new Map(letters)
  const outline = outlinesOf(font)
  return streams.flatMap(bytes =>
    [...bytes.toString('latin1').matchAll(/\[([^\]]*)\] TJ/g)].map(([, drawn]) =>
      [...drawn!.matchAll(/<([0-9a-f]+)>/g)]
        .flatMap(([, hex]) => hex!.match(/.{4}/g) ?? [])
        .map(code => {
          const glyph = Number.parseInt(code, 16)
          const letter = letterOf.get(glyph) ?? '\uFFFD'
          if (letter.trim() !== '' && !outline(glyph)) throw new Error(`no outline for ${letter}`)
          return letter
        })
        .join(''),
    ),
  )
}

/** Whether a glyph of a TrueType font has an outline: an entry of `loca` that is not empty. */
function outlinesOf(font: Buffer): (glyph: number) => boolean {
  const tables = new Map<string, number>()
  for (let i = 0; i < font.readUInt16BE(4); i++)
    tables.set(font.toString('latin1', 12 + i * 16, 16 + i * 16), font.readUInt32BE(12 + i * 16 + 8))
  const isLong = font.readInt16BE(tables.get('head')! + 50) === 1
  const loca = tables.get('loca')!
  const at = (i: number) => (isLong ? font.readUInt32BE(loca + i * 4) : font.readUInt16BE(loca + i * 2))
  return glyph => at(glyph + 1) > at(glyph)
}
