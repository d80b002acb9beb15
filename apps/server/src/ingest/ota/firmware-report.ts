import { isStorableText } from '@thingwright/thing-model'
import { trimmed } from '../../lib/trimmed.ts'
import { DEFAULT_MODULE, type FirmwareReport } from '../../modules/ota/firmware.port.ts'
import { isObject, notFinite, Refusal, wrongShape } from '../codecs/shared/envelope.ts'

export type { FirmwareReport }

const MAX_NAME = 64
const MAX_STATE = 32
const MAX_MESSAGE = 500
const MODULE = /^[A-Za-z0-9_.-]{1,32}$/

/** `{"module"?, "version"}` or `{"id", "percent"?, "state", "message"?}`; whatever else a device adds is left out. */
export function readFirmware(message: 'inform' | 'progress', value: unknown): FirmwareReport | Refusal {
  if (!isObject(value)) return wrongShape('', 'expects an object')
  return message === 'inform' ? readInform(value) : readProgress(value)
}

/** The module that a message names; null: no such name can be. */
export function moduleOf(named: unknown): string | null {
  if (named === undefined || named === null || named === '') return DEFAULT_MODULE
  const name = bare(named)
  return typeof name === 'string' && MODULE.test(name) ? name : null
}

function readInform(value: Record<string, unknown>): FirmwareReport | Refusal {
  const module = moduleOf(value.module)
  if (module === null) return wrongShape('module', 'expects a name of letters, digits, "_", "." and "-"')
  const version = bare(value.version)
  if (!isText(version, MAX_NAME)) return wrongShape('version', `expects text of 1 to ${MAX_NAME} characters`)
  return { kind: 'inform', module, version }
}

function readProgress(said: Record<string, unknown>): FirmwareReport | Refusal {
  const { message } = said
  const id = bare(said.id)
  const state = bare(said.state)
  const percent = numberOf(said.percent)
  if (!isText(id, MAX_NAME)) return wrongShape('id', 'expects the id of the update')
  if (!isText(state, MAX_STATE)) return wrongShape('state', `expects a word of 1 to ${MAX_STATE} characters`)
  if (percent !== undefined && percent !== null) {
    if (typeof percent !== 'number') return wrongShape('percent', 'expects a number')
    if (!Number.isFinite(percent)) return notFinite('percent')
  }
  if (message !== undefined && message !== null) {
    if (typeof message !== 'string') return wrongShape('message', 'expects text')
    if (!isStorableText(message)) return new Refusal('text_not_storable', 'message', 'NUL or half a surrogate pair')
  }
  return {
    kind: 'progress',
    id,
    // Of a device that counts beyond the end, the end.
    percent: typeof percent === 'number' ? Math.round(Math.max(0, Math.min(100, percent))) : null,
    state,
    message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE).toWellFormed() : null,
  }
}

/** Read from a file, a buffer of C or a command's answer, a word often carries its line end or its NUL. */
function bare(value: unknown): unknown {
  return typeof value === 'string' ? trimmed(value, /[\s\0]/) : value
}

/** `"40"` and `"40%"` are what a device's format function makes of 40. */
function numberOf(value: unknown): unknown {
  const text = bare(value)
  return typeof text === 'string' && /^\d{1,3}(?:\.\d{1,6})?\s?%?$/.test(text) ? Number.parseFloat(text) : text
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest && isStorableText(value)
}
