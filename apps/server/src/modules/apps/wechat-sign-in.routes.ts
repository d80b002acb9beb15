import { wechatSignInContract as contract } from '@thingwright/contracts/wechat-sign-in.contract'
import { type BoundRoute, bind, type HttpInfo, RedirectReply } from '../../lib/http.ts'
import type { WechatSignIn } from './wechat-sign-in.service.ts'

const COOKIE = 'tw_wechat'
const BACK = '/callbacks/wechat-sign-in'
/** As long as what came back may be bound. */
const COOKIE_SECONDS = 1_800

export function wechatSignInRoutes(deps: {
  signIn: WechatSignIn
  secureCookie: boolean
  publicUrl: string | null
}): BoundRoute[] {
  const { signIn } = deps
  // Back to the host that the browser knows the portal by: the cookie is that host's.
  const backOf = ({ headers }: HttpInfo) => {
    const host = typeof headers.host === 'string' ? headers.host : 'localhost'
    const own = deps.publicUrl === null ? null : new URL(deps.publicUrl)
    const scheme = own?.protocol === 'https:' || headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
    return `${scheme}://${host}${BACK}`
  }
  const remember = (http: HttpInfo, browser: string) =>
    http.setHeader(
      'set-cookie',
      `${COOKIE}=${browser}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${deps.secureCookie ? '; Secure' : ''}`,
    )
  return [
    bind(contract.offer, (_, { params }) => signIn.offer(params.suffix)),
    bind(contract.start, async (_, { params }, http) => {
      const { url, browser } = await signIn.start(params.suffix, backOf(http))
      remember(http, browser)
      return { url }
    }),
    bind(
      contract.back,
      async (ctx, { query }, http) => new RedirectReply(await signIn.finish(ctx, query, cookieOf(http), http)),
    ),
    bind(contract.own, ctx => signIn.isBound(ctx)),
    bind(contract.bind, (ctx, _, http) => signIn.bind(ctx, cookieOf(http))),
    bind(contract.unbind, ctx => signIn.unbind(ctx)),
  ]
}

function cookieOf({ headers }: HttpInfo): string | undefined {
  const given = Array.isArray(headers.cookie) ? headers.cookie.join('; ') : (headers.cookie ?? '')
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{1,64})`).exec(given)?.[1]
}
