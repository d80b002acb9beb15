import type { Readable } from 'node:stream'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteContract } from '@thingwright/contracts/route'
import type { Ctx } from './context.ts'

/** What a handler may know of the transport besides its input. */
export interface HttpInfo {
  ip: string
  userAgent: string
  /** Raw request headers, lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  setHeader(name: string, value: string): void
}

/** An answer that is not JSON: sent as it is. */
export class StreamReply {
  constructor(
    readonly body: Readable,
    readonly contentType: string,
    readonly fileName?: string,
  ) {}
}

export interface RouteInput<C> {
  params: ParamsOf<C>
  query: QueryOf<C>
  body: BodyOf<C>
}

export type RouteHandler<C> = (ctx: Ctx, input: RouteInput<C>, http: HttpInfo) => Promise<ResponseOf<C> | StreamReply>

/** One row of the route table: a contract and the service call behind it. */
export interface BoundRoute {
  contract: RouteContract
  handler: RouteHandler<never>
}

/** Ties a contract to its handler. A handler is one service call; rules live in the service. */
export function bind<const C extends RouteContract>(contract: C, handler: RouteHandler<C>): BoundRoute {
  return { contract, handler: handler as unknown as RouteHandler<never> }
}

/** The context of a public route: nobody, in no company. Its tenantId is not a UUID, so no tenant scope opens with it. */
export const NO_TENANT = ''
