import { SaxesParser } from 'saxes'

export type XmlValue = string | { [name: string]: XmlValue } | XmlValue[]

const MAX_DEPTH = 8

/**
 * A message of WeChat: what stands in `<xml>`, texts and nested elements; the same name twice makes a list. Entities of a
 * document type are not resolved: saxes knows the five of XML only.
 * @returns null: it is no such document
 */
export function readXml(text: string): Record<string, XmlValue> | null {
  const root: { [name: string]: XmlValue } = {}
  const open: { name: string; text: string; inside: { [name: string]: XmlValue }; has: boolean }[] = []
  let failed = false
  const parser = new SaxesParser()
  parser.on('error', () => {
    failed = true
  })
  parser.on('doctype', () => {
    failed = true
  })
  const add = (piece: string) => {
    const last = open.at(-1)
    if (last) last.text += piece
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('opentag', ({ name }) => {
    if (open.length >= MAX_DEPTH || name === '__proto__') failed = true
    open.push({ name, text: '', inside: {}, has: false })
  })
  parser.on('closetag', () => {
    const { name, text: said, inside, has } = open.pop()!
    const value: XmlValue = has ? inside : said.trim()
    const parent = open.at(-1)
    const into = parent ? parent.inside : root
    if (parent) parent.has = true
    const before = Object.hasOwn(into, name) ? into[name]! : undefined
    into[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  })
  try {
    parser.write(text).close()
  } catch {
    return null
  }
  const { xml } = root
  return failed || typeof xml !== 'object' || Array.isArray(xml) ? null : xml
}

/** Texts of a message; what is nested or absent is empty. */
export const textIn = (message: Record<string, XmlValue>, name: string): string => {
  const value = Object.hasOwn(message, name) ? message[name] : ''
  return typeof value === 'string' ? value : ''
}

/** A message to WeChat. Texts stand in CDATA, numbers as they are. */
export function writeXml(values: Readonly<Record<string, string | number>>): string {
  const fields = Object.entries(values).map(([name, value]) =>
    typeof value === 'number'
      ? `<${name}>${value}</${name}>`
      : `<${name}><![CDATA[${value.replaceAll(']]>', ']]]]><![CDATA[>')}]]></${name}>`,
  )
  return `<xml>${fields.join('')}</xml>`
}
