import { create } from 'zustand'
import { ApiError, call } from '../../lib/api-client.ts'
import { keepToken } from '../../lib/session.ts'

/** A sign-in that stands half open: what the server still asks for. */
export type Step =
  | { kind: 'factor'; ticket: string; methods: string[]; targets: Record<string, string> }
  | { kind: 'setup'; ticket: string }
  | { kind: 'password'; ticket: string; minLength: number }

export const useStep = create<{ step: Step | null }>(() => ({ step: null }))

/** Takes over a refusal that only asks for more; false for any other. */
export function takeStep(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const ticket = String(error.params.ticket ?? '')
  if (error.code === 'auth.second_factor_required') {
    const methods = error.params.methods as string[]
    useStep.setState({
      step: { kind: 'factor', ticket, methods, targets: (error.params.targets as Record<string, string>) ?? {} },
    })
    return true
  }
  if (error.code === 'auth.second_factor_setup_required') {
    useStep.setState({ step: { kind: 'setup', ticket } })
    return true
  }
  if (error.code === 'auth.password_change_required') {
    useStep.setState({ step: { kind: 'password', ticket, minLength: Number(error.params.minLength ?? 8) } })
    return true
  }
  return false
}

export const endStep = () => useStep.setState({ step: null })

export async function finishStep(
  body: { ticket: string; method: string; code?: string; password?: string } | { ticket: string; new_password: string },
): Promise<void> {
  const grant_type = 'new_password' in body ? 'password_change' : 'second_factor'
  keepToken(await call('identity.token', { body: { grant_type, ...body }, interfaceType: 'accountSign' }))
}

/** Signs in with a passkey: alone, or as the second step of a ticket. */
export async function signInWithPasskey(ticket?: string): Promise<void> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const { challengeId, options } = await call('security.passkeyOptions', { body: ticket ? { ticket } : {} })
  const response = JSON.stringify(await startAuthentication({ optionsJSON: options as never }))
  const body = ticket
    ? { grant_type: 'second_factor', ticket, method: 'passkey', challenge_id: challengeId, response }
    : { grant_type: 'passkey', challenge_id: challengeId, response }
  keepToken(await call('identity.token', { body, interfaceType: 'accountSign' }))
}

/** Whether this browser has passkeys at this address. */
export const passkeysHere = () => window.isSecureContext && typeof window.PublicKeyCredential === 'function'

/** After the identity provider sent the browser back: the session lies in its cookie. */
export async function takeSession(): Promise<void> {
  keepToken(await call('identity.token', { body: { grant_type: 'refresh_token' }, interfaceType: 'Refresh-token' }))
}
