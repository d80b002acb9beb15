import type { Static, TSchema } from 'typebox'
import type { Permission } from './permissions.ts'

/** Who may call a route: everybody, anybody signed in, or a caller holding the right. */
export type RoutePermission = 'public' | 'signed-in' | Permission

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
  response: TSchema
  /** Status of success; 200 when absent. */
  status?: 200 | 201 | 202 | 204
  /** Content type of the answer when it is not JSON (streams). */
  produces?: string
  /** The company's status is not asked (sign-out, profile, status itself). */
  anyAccountState?: boolean
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
