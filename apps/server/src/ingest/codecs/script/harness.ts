import { SANDBOX_BYTES } from './sandbox-bytes.ts'

/**
 * Names that a script may give its functions, in the order in which they are looked for. Those of other platforms come
 * first: a script that has one of them may well call a helper of its own `decode`.
 */
export const UP_FUNCTIONS = ['decodeUplink', 'rawDataToProtocol', 'Decode', 'Decoder', 'decode'] as const
export const DOWN_FUNCTIONS = ['encodeDownlink', 'protocolToRawData', 'Encode', 'Encoder', 'encode'] as const
/** Name of the script in the stacks of its errors. */
export const SCRIPT_NAME = 'script.js'

/**
 * The user's source as a function that makes its functions anew: what a frame leaves behind in the script's own
 * variables is gone with the next. Nothing stands before the source on its first line but the wrapper, so lines count
 * as the author sees them.
 */
export function wrapSource(source: string): string {
  const names = [...UP_FUNCTIONS, ...DOWN_FUNCTIONS]
  const found = names
    .map(name => `${name}: typeof ${name} === 'function' && !/^class\\b/.test(${name}) ? ${name} : undefined`)
    .join(', ')
  return `(function (console) {${source}\n;return { ${found} }})`
}

/**
 * Runs inside the sandbox, before and around the user's functions; text, so that nothing of the host goes in with it.
 * `install(factory)` freezes what scripts share and gives back `run(text) → text`; one call is one frame.
 */
export const HARNESS = `${SANDBOX_BYTES}(function () {
'use strict'
const { parse, stringify } = JSON
const { ownKeys, deleteProperty, getPrototypeOf, getOwnPropertyDescriptor } = Reflect
const { isArray, from } = Array
const { freeze, hasOwn, defineProperty } = Object
const { isFinite } = Number
const GLOBAL = globalThis
const Bytes = Uint8Array
const Task = Promise
const Text = String
const Problem = Error
const Time = Date
const UP = ${JSON.stringify(UP_FUNCTIONS)}
const DOWN = ${JSON.stringify(DOWN_FUNCTIONS)}

// A frozen prototype would forbid objects of their own fields of these names: they are set on the object itself.
const PROTOTYPES = [Object.prototype, Error.prototype, TypeError.prototype, RangeError.prototype, SyntaxError.prototype, ReferenceError.prototype]
for (const prototype of PROTOTYPES) {
  for (const key of ownKeys(prototype)) {
    const property = getOwnPropertyDescriptor(prototype, key)
    if (!property.configurable || !('value' in property)) continue
    const { value } = property
    defineProperty(prototype, key, {
      get() { return value },
      set(mine) { defineProperty(this, key, { value: mine, writable: true, enumerable: true, configurable: true }) },
      enumerable: false, configurable: false,
    })
  }
}

// What all frames share must not change: prototypes and constructors are frozen, new globals are swept away.
const seen = new Set()
function freezeAll(value) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
  seen.add(value)
  if (value !== GLOBAL) freeze(value)
  freezeAll(getPrototypeOf(value))
  for (const key of ownKeys(value)) {
    const property = getOwnPropertyDescriptor(value, key)
    if (property === undefined) continue
    if ('value' in property) freezeAll(property.value)
    else { freezeAll(property.get); freezeAll(property.set) }
    if (value === GLOBAL && property.configurable && key !== 'globalThis') {
      defineProperty(GLOBAL, key, { value: property.value, writable: false, enumerable: false, configurable: false })
    }
  }
}
// Reached only through syntax.
freezeAll(function () {}); freezeAll(async function () {}); freezeAll(function* () {}); freezeAll(async function* () {})
freezeAll([][Symbol.iterator]()); freezeAll(new Map().entries()); freezeAll(new Set().values()); freezeAll(''[Symbol.iterator]()); freezeAll(''.matchAll(/x/g))
freezeAll(GLOBAL)
const baseline = new Set(ownKeys(GLOBAL))
function sweep() {
  for (const key of ownKeys(GLOBAL)) if (!baseline.has(key) && !deleteProperty(GLOBAL, key)) return false
  return true
}

let logs = null
const write = (...parts) => {
  if (logs === null || logs.length >= 50) return
  logs.push(parts.map(part => {
    try { return typeof part === 'string' ? part : Text(stringify(part)) } catch { return '?' }
  }).join(' ').slice(0, 500))
}
const console = freeze({ log: write, info: write, debug: write, warn: write, error: write })

// What JSON cannot hold becomes no value, and is named beside the others.
let unreadable = []
function plain(key, value) {
  if (typeof value === 'number' && !isFinite(value)) {
    if (unreadable.length < 20) unreadable.push(key.slice(0, 64))
    return key === 'ts' ? 'NaN' : null
  }
  return typeof value === 'bigint' ? Text(value) : value
}
const unhex = hex => {
  const bytes = []
  for (let i = 0; i < hex.length; i += 2) bytes.push(parseInt(hex.slice(i, i + 2), 16))
  return bytes
}
const toBytes = value => {
  if (typeof value === 'string') return { text: value }
  if (value instanceof Bytes || value instanceof ArrayBuffer) value = from(new Bytes(value))
  if (!isArray(value)) throw new Problem('expects an array of bytes or a text')
  return { bytes: value.map(byte => {
    const number = Number(byte)
    if (!(number >= -128 && number <= 255)) throw new Problem('a byte is a number from 0 to 255')
    return number & 255
  }) }
}
const toFrames = value => {
  if (value === undefined || value === null) throw new Problem('returned nothing to send')
  return isArray(value) && value.length > 0 && typeof value[0] === 'object' ? value.map(toBytes) : [toBytes(value)]
}
const failed = errors => isArray(errors) && errors.length > 0
const given = value => {
  if (value instanceof Task) throw new Problem('asynchronous functions cannot be used')
  return value
}

function up(functions, job) {
  const name = UP.find(name => functions[name] !== undefined)
  if (name === undefined) throw new Problem('has none of the functions ' + ['decode', 'decodeUplink', 'rawDataToProtocol'].join(', '))
  const bytes = unhex(job.hex)
  const { port, variables } = job
  const call = functions[name]
  if (name === 'rawDataToProtocol') return { style: 'alibaba', result: given(call(bytes)) }
  if (name === 'Decode') return { style: 'plain', result: given(call(port, bytes, variables)) }
  if (name === 'Decoder') return { style: 'plain', result: given(call(bytes, port)) }
  const input = { bytes, fPort: port, variables, deviceNo: job.deviceNo, recvTime: name === 'decode' ? job.at : new Time(job.at) }
  const result = given(call(input))
  if (name === 'decode') return { style: 'own', result }
  if (typeof result !== 'object' || result === null) throw new Problem('decodeUplink returned no object')
  if (failed(result.errors)) return { error: result.errors.map(Text).join('; ') }
  return { style: 'plain', result: result.data }
}
function down(functions, job) {
  const name = DOWN.find(name => functions[name] !== undefined)
  if (name === undefined) throw new Problem('has none of the functions ' + ['encode', 'encodeDownlink', 'protocolToRawData'].join(', '))
  const { command, variables } = job
  const call = functions[name]
  if (name === 'protocolToRawData') {
    const method = command.kind === 'service' ? 'thing.service.' + command.identifier : 'thing.service.property.set'
    return { frames: toFrames(given(call({ method, id: command.id, version: '1.0', params: command.params }))) }
  }
  if (name === 'Encode') return { frames: toFrames(given(call(job.port || 1, command.params, variables))) }
  if (name === 'Encoder') return { frames: toFrames(given(call(command.params, job.port || 1))) }
  const data = command.kind === 'service' ? { service: command.identifier, params: command.params } : command.params
  const result = given(call({ data, command, fPort: job.port, variables, deviceNo: job.deviceNo }))
  if (typeof result === 'object' && result !== null && failed(result.errors)) return { error: result.errors.map(Text).join('; ') }
  if (typeof result === 'object' && result !== null && hasOwn(result, 'bytes'))
    return { frames: toFrames(result.bytes), port: typeof result.fPort === 'number' ? result.fPort : undefined }
  return { frames: toFrames(result) }
}

return function install(factory) {
  return function run(text) {
    const job = parse(text)
    logs = job.logs ? [] : null
    try {
      const functions = factory(console)
      const outcome = job.kind === 'check'
        ? { found: [...UP, ...DOWN].filter(name => functions[name] !== undefined) }
        : job.kind === 'down' ? down(functions, job) : up(functions, job)
      if (logs !== null) outcome.logs = logs
      unreadable = []
      const text = stringify(outcome, plain)
      return unreadable.length === 0 ? text : text.slice(0, -1) + ',"unreadable":' + stringify(unreadable) + '}'
    } finally {
      logs = null
      if (!sweep()) GLOBAL.spoiled = true
    }
  }
}
})()`
