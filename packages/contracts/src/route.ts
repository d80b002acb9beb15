import type { Static, TSchema } from 'typebox'
import type { Permission } from './permissions.ts'

/** Who may call a route: everybody, anybody signed in, or a caller holding the right. */
export type RoutePermission = 'public' | 'signed-in' | Permission

/** A route that takes a form (multipart/form-data): the text fields of `body` first, then one file in the field `file`. */
export interface UploadContract {
  /** The longest file, announced or streamed. */
  maxBytes: number
}

/** A request that succeeds, with the marks of `examples.ts`. Values of parameters are texts, as in an address. */
export interface RouteExample {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
}

export interface RouteContract {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Full path with {parameters}, as in the OpenAPI document. */
  path: `/${string}`
  summary: string
  tag: string
  permission: RoutePermission
  /** Name of the operation in the operation log; every route that is not a GET has one, or says why not. */
  audit?: string | { none: string }
  params?: TSchema
  query?: TSchema
  body?: TSchema
  upload?: UploadContract
  /**
   * What the documents of the API show, and what the test of every change sends: the examples of a contract are sent in
   * the order of its routes, so that what is removed last was made first.
   */
  example?: RouteExample
  response: TSchema
  /** Status of success; 200 when absent. */
  status?: 200 | 201 | 202 | 204
  /** Content type of the answer when it is not JSON (streams). */
  produces?: string
  /** The company's status is not asked (sign-out, profile, status itself). */
  anyAccountState?: boolean
  /**
   * A route with POST that programs of another family call with GET: its fields come in the query, in a JSON body, or in
   * both, where the body counts.
   */
  alsoGet?: boolean
  /**
   * A route for anybody signed in that programs with an API key may call too. Without it `signed-in` means a person:
   * his profile, his sessions, his inbox. Routes with a right of their own are a key's as soon as it holds the right.
   */
  apiKeys?: boolean
  /**
   * It acts on the company as a whole, or shows it whole: a caller whose data scope is a part of the company is refused,
   * whatever his rights.
   */
  wholeCompany?: boolean
}

/** Declares one route; the identity function keeps the literal types for both sides. */
export function route<const C extends RouteContract>(contract: C): C {
  return contract
}

type Part<C, K extends 'params' | 'query' | 'body'> = C extends { [P in K]: infer S extends TSchema }
  ? Static<S>
  : undefined

export type ParamsOf<C> = Part<C, 'params'>
export type QueryOf<C> = Part<C, 'query'>
export type BodyOf<C> = Part<C, 'body'>
export type ResponseOf<C> = C extends { response: infer S extends TSchema } ? Static<S> : never
