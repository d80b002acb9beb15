import type { BodyOf, Contracts, ParamsOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { Operation } from '@thingwright/contracts/api-paths'
import { INTERFACE_TYPE, type InterfaceType, isSignIn } from './api/header-kinds.ts'
import { pathOf } from './api/paths.ts'
import { send } from './api/send.ts'
import { randomId } from './ids.ts'

export type { Operation } from '@thingwright/contracts/api-paths'
export { ApiError, SessionExpiredError } from './api/api-error.ts'
export type { InterfaceType } from './api/header-kinds.ts'

type Contract<O extends Operation> = O extends `${infer F}.${infer N}`
  ? F extends keyof Contracts
    ? N extends keyof Contracts[F]
      ? Contracts[F][N]
      : never
    : never
  : never

type Nothing = Record<never, never>
type Slot<K extends string, V> = [V] extends [undefined]
  ? { [P in K]?: undefined }
  : Nothing extends V
    ? { [P in K]?: V }
    : { [P in K]: V }

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** One per action of the person; made when absent. A form that may be sent again keeps its own. */
  idempotencyKey?: string
  /** Header set; most calls need none, the operations that differ are known. */
  interfaceType?: InterfaceType
  /** Goes on when the page is left or read again; for small bodies, browsers take at most 64 KB of them. */
  keepalive?: boolean
}

export type CallInput<O extends Operation> = Slot<'params', ParamsOf<Contract<O>>> &
  Slot<'query', QueryOf<Contract<O>>> &
  Slot<'body', BodyOf<Contract<O>>> &
  CallOptions
type Args<O extends Operation> = Nothing extends CallInput<O> ? [input?: CallInput<O>] : [input: CallInput<O>]
/** Query, body and reply of an operation, for the signatures of a feature's own functions. */
export type Query<O extends Operation> = QueryOf<Contract<O>>
export type Body<O extends Operation> = BodyOf<Contract<O>>
export type Reply<O extends Operation> = ResponseOf<Contract<O>>

/** Operations whose header set is not the default one. */
const KIND: Partial<Record<Operation, InterfaceType>> = {
  'company.status': 'form',
  'identity.smsCode': 'postNoToken',
  'identity.captcha': 'formNoToken',
  'identity.register': 'register',
  'identity.resetPassword': 'postNoToken',
  'identity.resetLink': 'postNoToken',
  'identity.simulatedSms': 'formNoToken',
  'identity.simulatedMail': 'formNoToken',
  'members.invitation': 'postNoToken',
  'members.accept': 'register',
  'identity.revoke': 'postNoToken',
}

/** The address of an operation with parameters and query filled in; undefined, null and '' are left out of the query. */
export function urlOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, unknown>)[name]
    if (value === undefined || value === null || value === '')
      throw new Error(`parameter ${name} of ${path} is missing`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = search.toString()
  return text ? `${filled}?${text}` : filled
}

/** Like `call`, with the bare answer: for streams and files. Throws ApiError on refusal. */
export async function callRaw<O extends Operation>(operation: O, ...[input]: Args<O>): Promise<Response> {
  const [method, path] = await pathOf(operation)
  const given = (input ?? {}) as { params?: object; query?: object; body?: unknown } & CallOptions
  const kind = given.interfaceType ?? KIND[operation] ?? 'default'
  const headers = new Headers({ [INTERFACE_TYPE]: kind })
  if (method !== 'GET' && !isSignIn(kind)) headers.set('Idempotency-Key', given.idempotencyKey ?? randomId())
  return send({
    method,
    url: urlOf(path, given.params, given.query),
    headers,
    body: method === 'GET' ? undefined : (given.body ?? (sendsJson(kind) ? {} : undefined)),
    signal: given.signal,
    keepalive: given.keepalive,
  })
}

/** A JSON type without a body is refused by servers as malformed: an empty object goes instead. */
function sendsJson(kind: InterfaceType): boolean {
  return kind === 'default' || kind === 'postNoToken'
}

/**
 * Calls an operation of the API: `call('devices.get', {params: {id}})`. Typed from the contracts.
 * Throws ApiError (code, message in the shown language, request id, fields of a 422).
 */
export async function call<O extends Operation>(operation: O, ...args: Args<O>): Promise<Reply<O>> {
  const response = await callRaw(operation, ...args)
  if (response.status === 204) return undefined as Reply<O>
  return (await response.json()) as Reply<O>
}

/** Saves an operation's answer as a file of the given name. */
export async function download<O extends Operation>(operation: O, name: string, ...args: Args<O>): Promise<void> {
  const response = await callRaw(operation, ...args)
  const url = URL.createObjectURL(await response.blob())
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
