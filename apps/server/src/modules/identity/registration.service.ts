import type { RegisterRequest } from '@thingwright/contracts/identity.contract'
import { TERMS } from '@thingwright/contracts/terms'
import { recordAudit } from '../../lib/audit.ts'
import type { Database, SystemScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { platformSettingsIn, recordConsent } from '../tenants/index.ts'
import { normalisePhone } from './addresses.ts'
import { loginByPhone, loginByUsername } from './identity.repo.ts'
import { refuseBadPassword } from './password-rules.ts'
import { hashPassword } from './passwords.ts'
import { contextOf, type Peer, type SessionStart, type TokenReplyWithRefresh } from './session-start.ts'
import type { SmsCodes } from './sms-codes.ts'
import { checkUsername, fieldError } from './usernames.ts'

export interface NewCompany {
  name: string
  status: 'trial'
  expiresAt: Date
  owner: { username: string; passwordHash: string; displayName: string; kind: 'member'; phone: string }
}

export interface RegistrationOptions {
  database: Database
  smsCodes: SmsCodes
  sessions: SessionStart
  /** Makes the company with its built-in roles and its owner. @returns its id */
  createCompany(scope: SystemScope, company: NewCompany): Promise<string>
  now(): number
}

export interface Registration {
  /**
   * A company with a trial, its owner, his consent to the terms, and his first session.
   * @throws AppError request.validation, auth.code_wrong, auth.username_taken, auth.phone_taken
   */
  register(clientId: string, input: RegisterRequest, peer: Peer): Promise<TokenReplyWithRefresh>
}

export function createRegistration({
  database,
  smsCodes,
  sessions,
  createCompany,
  now,
}: RegistrationOptions): Registration {
  return {
    async register(clientId, input, peer) {
      const name = input.companyName.normalize('NFC').trim()
      if ([...name].length < 2) throw fieldError('companyName', 'field.minLength', { limit: 2 })
      const username = checkUsername(input.username)
      const phone = normalisePhone(input.phone)
      if (!input.acceptTerms) throw fieldError('acceptTerms', 'auth.terms_required')
      refuseBadPassword(null, { password: input.password, username, phone })
      const passwordHash = await hashPassword(input.password)
      const at = new Date(now())
      try {
        const reply = await database.withSystemScope('sign-in', async scope => {
          // A wrong code is counted, so nothing is thrown before the commit. Everything after a right one is one change:
          // when the name turns out to be taken, the code is still good.
          if (!(await smsCodes.consume(scope, phone, 'register', input.code, peer))) return null
          if (await loginByPhone(scope, phone)) throw new AppError('auth.phone_taken')
          if (await loginByUsername(scope, username)) throw new AppError('auth.username_taken')
          const { trialDays } = await platformSettingsIn(scope)
          const tenantId = await createCompany(scope, {
            name,
            status: 'trial',
            expiresAt: new Date(at.getTime() + trialDays * 86_400_000),
            owner: { username, passwordHash, displayName: username, kind: 'member', phone },
          })
          const login = await loginByUsername(scope, username)
          // Somebody took the name or the number between the look and the insert.
          if (login?.tenant_id !== tenantId) throw new AppError('auth.username_taken')
          const ctx = contextOf(login, peer)
          await recordConsent(scope, { tenantId, loginId: login.id, ...TERMS, at, ip: peer.ip })
          await recordAudit(scope, ctx, {
            action: 'company.register',
            objectType: 'company',
            objectId: tenantId,
            objectName: name,
            after: { name, owner: username, status: 'trial', trialDays, terms: TERMS.version },
          })
          return sessions.begin(scope, login, clientId, peer, 'register')
        })
        if (!reply) throw new AppError('auth.code_wrong')
        return reply
      } catch (error) {
        if (isUniqueViolation(error, 'logins_username_key')) throw new AppError('auth.username_taken')
        if (isUniqueViolation(error, 'logins_phone_key')) throw new AppError('auth.phone_taken')
        throw error
      }
    },
  }
}
