import type { RouteFlags } from '@thingwright/contracts/web-routes'
import { type Decision, NOT_ACTIVATED_PAGE } from './decision.ts'
import { checkPermission } from './permission-check.ts'

export interface GuardTarget {
  /** Key of the route: its address without parameters. */
  key: string
  /** Path with query, stored as the target to return to. */
  url: string
  /** A route whose definition lacks `auth` is blocked. */
  flags: Omit<RouteFlags, 'auth'> & { auth?: boolean | undefined }
  devOnly: boolean
}

export interface GuardDeps {
  devFlag: boolean
  signedIn: boolean
  /** Keys the person may open. Throws when they cannot be loaded. */
  permissions: () => Promise<readonly string[]>
  /** First entry of the visible menu that the person may open. */
  firstEntry: () => Promise<string | null>
  /** Status of the company account; anything but 0, 1 and 2, or a failure, is a failed check. */
  accountStatus: () => Promise<unknown>
}

const FLAG_MISSING_MS = 5000

/**
 * Decides about a navigation, in the five steps of the specification. `from` is the path being left, null on a cold
 * load. Pure but for the questions it asks through `deps`; the caller carries the decision out.
 */
export async function guard(target: GuardTarget, from: string | null, deps: GuardDeps): Promise<Decision> {
  const { flags } = target

  // 1. The menu editor only with the dev flag.
  if (target.devOnly && !deps.devFlag) return { kind: 'redirect', to: '/index' }

  // 2. Signed-in people only: the target is kept for after the sign-in.
  if (flags.auth === true && !deps.signedIn)
    return { kind: 'redirect', to: '/index', message: 'notSignedIn', remember: target.url }

  // 3. Signed in: permissions, account status, then the permission check. (The layout follows the route's flags.)
  if (deps.signedIn && flags.auth !== undefined) {
    const status = flags.accountState ? settled(deps.accountStatus()) : null
    // A link by which somebody joins a company or sets a password is for its holder, whoever is signed in here.
    if (target.key === '/index' && /[?&](invite|reset)=/.test(target.url)) return { kind: 'allow' }
    // Public pages do not depend on the answer, so its failure does not keep anybody from them.
    const needed = flags.auth || flags.limits
    const permissions = needed ? await deps.permissions() : await deps.permissions().catch(() => [])
    if (status) {
      const refusal = statusDecision(await status)
      if (refusal) return refusal
    }
    return flags.limits ? checkPermission(target.key, from, permissions, deps.firstEntry) : { kind: 'allow' }
  }

  // 4. Public routes: nothing to ask.
  if (flags.auth === false) return { kind: 'allow' }

  // 5. The flag is missing.
  return { kind: 'block', message: 'flagMissing', shownMs: FLAG_MISSING_MS }
}

function statusDecision(status: unknown): Decision | null {
  if (status === 2) return null
  if (status === 0) return { kind: 'redirect', to: NOT_ACTIVATED_PAGE, message: 'notActivated' }
  if (status === 1) return { kind: 'redirect', to: NOT_ACTIVATED_PAGE, message: 'expired' }
  return { kind: 'redirect', to: '/index', message: 'statusFailed', endSession: true }
}

/** A failed question is an answer too: "failed". Started early, so its rejection must not go unheard. */
function settled(question: Promise<unknown>): Promise<unknown> {
  return question.catch(() => 'failed')
}
