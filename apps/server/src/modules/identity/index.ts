export { maskAddress, normaliseEmail, normalisePhone } from './addresses.ts'
export type { ApiKeySignIn, ProgramCredentials } from './api-key-sign-in.ts'
export { API_KEY_START } from './api-key-sign-in.ts'
export { createIdentityModule, type IdentityModule } from './identity.module.ts'
export type { LoginRow } from './identity.repo.ts'
export { loginByEmail, loginById, loginByPhone, loginByUsername } from './identity.repo.ts'
export { peerOf, publicClient, sessionAnswer } from './identity.routes.ts'
export type { IdentityService, SignedIn } from './identity.service.ts'
export {
  insertLogin,
  setLoginLeft,
  setLoginState,
  updateEndUserLogin,
  updateMemberLogin,
} from './member-logins.repo.ts'
export { allowedBy, clientOf, placeOf, readNetwork } from './network.ts'
export { linkHash, newLinkToken } from './one-time-links.ts'
export { refuseBadPassword } from './password-rules.ts'
export { hashPassword } from './passwords.ts'
export type { SecurityModule } from './security.module.ts'
export { policyIn, readPolicy } from './security-policy.ts'
export type { RequestOrigin } from './session-rules.ts'
export type { Peer, SessionStart, TokenReplyWithRefresh } from './session-start.ts'
export { lockedUntil } from './sign-in-guard.ts'
export type { AccessClaims } from './tokens.ts'
export { checkUsername } from './usernames.ts'
