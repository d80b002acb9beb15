import { isIdentifier, isReservedIdentifier, type Property, sensorKind } from '@thingwright/thing-model'
import { splitNames } from '../../lib/tools/thing-kit.ts'
import words from './model-sentence.json' with { type: 'json' }

/** Properties out of a sentence: `温度（℃）、湿度（%）和开关`, `temperature (°C), speed in rpm and a switch`. */

const LEAD = new RegExp(words.lead, 'iu')
const TAIL = new RegExp(words.tail, 'iu')
const UNIT_IN = new RegExp(words.unitIn, 'iu')
const UNIT_SAID = new RegExp(words.unitSaid, 'iu')
const WRITABLE = new RegExp(words.writable, 'iu')
const READ_ONLY = new RegExp(words.readOnly, 'iu')
const SWITCH = new RegExp(words.switch, 'iu')
const INDICATOR = new RegExp(words.indicator, 'iu')
const TEXT = new RegExp(words.text, 'iu')

const fold = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '')

export interface SaidProperty {
  name: string
  unit?: string | undefined
  identifier?: string | undefined
  /** Absent: as the name suggests. */
  writable?: boolean | undefined
}

/** The properties that a sentence names, in its order; brackets belong to the name before them. */
export function propertiesIn(sentence: string): SaidProperty[] {
  const brackets: string[] = []
  // A comma in brackets parts nothing.
  const hidden = sentence
    .trim()
    .replace(LEAD, '')
    .replaceAll(
      /[(\uff08[\u3010][^)\uff09\]\u3011]*[)\uff09\]\u3011]/g,
      part => `\u0001${brackets.push(part) - 1}\u0001`,
    )
  return splitNames(hidden)
    .map(part => part.replaceAll(/\u0001(\d+)\u0001/g, (_, i: string) => brackets[Number(i)] ?? ''))
    .map(part => part.replace(/^(a|an|the|one)\s+/i, '').trim())
    .flatMap(part => (part === '' ? [] : [saidProperty(part)]))
}

function saidProperty(part: string): SaidProperty {
  const writable = WRITABLE.test(part) ? true : READ_ONLY.test(part) ? false : undefined
  let name = part
  let unit: string | undefined
  const [, before, inside] = UNIT_IN.exec(part) ?? UNIT_SAID.exec(part) ?? []
  if (before?.trim() && inside) {
    name = before.trim()
    // "(读写)" is no unit.
    if (!WRITABLE.test(inside) && !READ_ONLY.test(inside)) unit = inside.trim()
  }
  name = name.replace(TAIL, '').trim() || name
  return { name: name.slice(0, 64), unit, writable }
}

/**
 * A property of a thing model for what was said: identifier, type, unit and access as the name suggests them.
 * @param taken identifiers that are in use
 */
export function propertyFor(said: SaidProperty, taken: ReadonlySet<string>): Property {
  const known = words.known.find(each => each.words.some(word => fold(word) === fold(said.name)))
  const wanted = said.identifier ?? known?.identifier ?? identifierFrom(said.name)
  const kindName =
    known?.identifier === 'location'
      ? 'position'
      : said.unit || known?.unit
        ? 'number'
        : SWITCH.test(said.name)
          ? 'switch'
          : INDICATOR.test(said.name)
            ? 'indicator'
            : TEXT.test(said.name)
              ? 'text'
              : 'number'
  const { dataType, access, widget, decimals } = sensorKind(kindName)
  const suggested = known && 'access' in known && known.access === 'rw' ? 'rw' : access
  const unit = said.unit ?? known?.unit
  return {
    identifier: freeIdentifier(wanted, taken),
    name: said.name,
    ...(known && !/^[\x20-\x7e]+$/.test(said.name) ? { ename: known.en } : {}),
    dataType,
    access: said.writable === undefined ? suggested : said.writable ? 'rw' : 'r',
    widget,
    ...(decimals === undefined ? {} : { decimals }),
    ...(unit ? { unit } : {}),
  }
}

/** `Inlet pressure` → `inlet_pressure`; what has no Latin letters gets a number. */
function identifierFrom(name: string): string {
  const latin = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 48)
  if (latin === '' || /^[0-9_]*$/.test(latin)) return `p${latin || '1'}`
  return /^[0-9]/.test(latin) ? `p${latin}` : latin
}

function freeIdentifier(wanted: string, taken: ReadonlySet<string>): string {
  const usable = isIdentifier(wanted) && !isReservedIdentifier(wanted, 'property') ? wanted : 'property_1'
  if (!taken.has(usable)) return usable
  const stem = usable.replace(/_?\d+$/, '')
  for (let n = 2; ; n++) {
    const next = `${stem}${stem === 'p' ? '' : '_'}${n}`
    if (!taken.has(next)) return next
  }
}
