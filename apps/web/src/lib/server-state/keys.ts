import type { Contracts } from '@thingwright/contracts'
import type { CallInput, CallOptions, Operation } from '../api-client.ts'

/** What an operation is read with: parameters, query and body. */
export type ReadInput<O extends Operation> = Omit<CallInput<O>, keyof CallOptions>

/** The first word of its operations: `devices` of `devices.get`. */
export type Resource = keyof Contracts

/**
 * What an action makes out of date: a whole resource, an operation with whatever input, or one with `only` some inputs.
 */
export type Touched = Resource | Operation | Only
type Only = readonly [operation: Operation, input: object]

/** Answers of an operation to inputs of which a part is known: `only('devices.list', {query: {productId}})`. */
export function only<O extends Operation>(operation: O, input: Part<ReadInput<O>>): Only {
  return [operation, input]
}
export type Part<T> = { [K in keyof T]?: Partial<T[K]> }

/** Answers of other form than the operation's own, which stand beside it under the same name. */
export type Form = 'pages' | 'made'

export type Key = readonly unknown[]

/**
 * The one place where keys are made: `['devices', 'get', {params: {id}}]`. Two pages that ask the same of the server
 * share its answer; whoever knows an operation's name can touch its answers.
 * @param about what the answer depends on besides the input: the language, a moment, a version
 */
export function keyOf(operation: Operation, input: object = {}, form?: Form, about?: unknown): Key {
  const key: unknown[] = [...operation.split('.'), given(input)]
  if (form !== undefined || about !== undefined) key.push(form ?? 'own')
  if (about !== undefined) key.push(about)
  return key
}

/** The beginning that all keys have which are touched. */
export function keyTouched(touched: Touched): Key {
  if (typeof touched === 'string') return touched.split('.')
  return [...touched[0].split('.'), given(touched[1])]
}

/** The form of a key's answer; null for the operation's own. */
export function formOf(key: Key): Form | null {
  return key[3] === 'pages' || key[3] === 'made' ? key[3] : null
}

/** What a key's answer was asked with. */
export function inputOf<O extends Operation>(key: Key): Part<ReadInput<O>> {
  return (key[2] ?? {}) as Part<ReadInput<O>>
}

/** Empty parts say the same as absent ones. */
function given(input: object): Record<string, object> {
  const parts = Object.entries(input) as [string, object | undefined][]
  return Object.fromEntries(
    parts.flatMap(([part, value]) =>
      value !== undefined && Object.keys(value).length > 0 ? [[part, value] as const] : [],
    ),
  )
}
