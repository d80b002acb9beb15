import grpc from '@grpc/grpc-js'
import { type Caller, readToken } from './tokens.ts'

/** What goes wrong on request. */
export type Behaviour =
  | { kind: 'well' }
  /** Every call fails by itself. */
  | { kind: 'failing'; text: string }
  /** Answers come after this time. */
  | { kind: 'slow'; ms: number }

/** Says no as ChirpStack does (`api/error.rs`). */
export class Refusal extends Error {
  constructor(
    readonly code: grpc.status,
    text: string,
  ) {
    super(text)
  }
}

export const notFound = (id: string) => new Refusal(grpc.status.NOT_FOUND, `Object does not exist (id: ${id})`)
export const invalid = (text: string) => new Refusal(grpc.status.INVALID_ARGUMENT, text)

export interface Access {
  caller: Caller | null
  /** @throws Refusal unless the token is one of the tenant, of the whole server, or of a person */
  tenant(id: string): void
  /** @throws Refusal for keys: only persons may ask */
  person(): void
}

interface CallOptions {
  secret: string
  now(): number
  behaviour(): Behaviour
  /** Tenant of a key; null: of the whole server; undefined: no such key. */
  tenantOfKey(id: string): string | null | undefined
  isUser(id: string): boolean
  asked(method: string): void
}

const denied = (text = '') => new Refusal(grpc.status.UNAUTHENTICATED, text)

export function createCalls(options: CallOptions) {
  function accessOf(metadata: grpc.Metadata): Access {
    const [value] = metadata.get('authorization')
    let caller: Caller | null = null
    if (value !== undefined) {
      const text = String(value)
      if (!text.startsWith('Bearer ')) throw denied("authorization metadata must be in format 'Bearer <TOKEN>")
      caller = readToken(options.secret, text.slice(7), options.now())
      if (!caller) throw denied('invalid token')
    }
    const known = () => {
      if (!caller) throw denied('no authorization provided')
      return caller
    }
    return {
      caller,
      tenant(id) {
        const who = known()
        if (who.kind === 'user') {
          if (!options.isUser(who.id)) throw denied()
          return
        }
        const own = options.tenantOfKey(who.id)
        if (own === undefined || (own !== null && own !== id)) throw denied()
      },
      person() {
        const who = known()
        if (who.kind !== 'user' || !options.isUser(who.id)) throw denied()
      },
    }
  }

  /** A unary method. */
  return <Request, Reply>(
    name: string,
    work: (request: Request, access: Access) => Reply,
  ): grpc.handleUnaryCall<Request, Reply> =>
    (call, callback) => {
      options.asked(name)
      const behaviour = options.behaviour()
      const answer = () => {
        try {
          if (behaviour.kind === 'failing') throw new Refusal(grpc.status.INTERNAL, behaviour.text)
          callback(null, work(call.request, accessOf(call.metadata)))
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          callback({ code: error.code, details: error.message })
        }
      }
      if (behaviour.kind === 'slow') setTimeout(answer, behaviour.ms)
      else answer()
    }
}

/** A method that streams: what is kept first, then what comes. */
export const streaming =
  <Request, Item>(
    call: ReturnType<typeof createCalls>,
    name: string,
    open: (request: Request, access: Access, write: (item: Item) => void) => () => void,
  ): grpc.handleServerStreamingCall<Request, Item> =>
  stream => {
    const begin = call<Request, () => void>(name, (request, access) =>
      open(request, access, item => stream.write(item)),
    )
    begin({ request: stream.request, metadata: stream.metadata } as never, (error, close) => {
      if (error) {
        stream.emit('error', error)
        return
      }
      stream.on('cancelled', () => close?.())
      stream.on('close', () => close?.())
    })
  }

export type Calls = ReturnType<typeof createCalls>
