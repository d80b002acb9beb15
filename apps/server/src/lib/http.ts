import type { Readable } from 'node:stream'
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, RouteContract } from '@thingwright/contracts/route'
import type { Ctx } from './context.ts'

/** What a handler may know of the transport besides its input. */
export interface HttpInfo {
  /** HEAD comes to the handler of GET: its body is thrown away unread. */
  method?: string
  ip: string
  userAgent: string
  /** Raw request headers, lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  setHeader(name: string, value: string): void
}

/** The one file of a route whose contract says `upload`. */
export interface UploadedFile {
  /** As the sender wrote it; never part of a path. */
  fileName: string
  /** As the sender claims it. */
  contentType: string
  /** Fails with AppError request.too_large beyond the contract's limit. What is left unread is thrown away. */
  body: Readable
}

/** An answer that is not JSON: sent as it is. */
export class StreamReply {
  constructor(
    readonly body: Readable,
    readonly contentType: string,
    /** Makes it a download of this name. */
    readonly fileName?: string,
    /** 200, 202 for what is taken without an answer, 206 for a part, 304 for nothing new. */
    readonly status: 200 | 202 | 206 | 304 = 200,
  ) {}
}

/** Sends a browser on, to an address of our own. */
export class RedirectReply {
  constructor(readonly location: `/${string}`) {}
}

export interface RouteInput<C> {
  params: ParamsOf<C>
  query: QueryOf<C>
  body: BodyOf<C>
}

/** What a handler of the contract is told: upload routes get their file. */
export type HttpInfoOf<C> = C extends { upload: object } ? HttpInfo & { file: UploadedFile } : HttpInfo

export type RouteHandler<C> = (
  ctx: Ctx,
  input: RouteInput<C>,
  http: HttpInfoOf<C>,
) => Promise<ResponseOf<C> | StreamReply | RedirectReply>

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
