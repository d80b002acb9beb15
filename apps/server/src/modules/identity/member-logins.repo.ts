// What becomes of a member's login; who may decide it is the members' matter.
import type { SystemScope, TenantScope } from '../../lib/database/database.ts'
import { sql } from '../../lib/sql/statement.ts'

const UPDATE_LOGIN = sql`update logins set display_name = $3, group_id = $4, version = version + 1, updated_at = now() where tenant_id = $1 and id = $2`

/** Name and group. */
export async function updateMemberLogin(
  scope: TenantScope,
  id: string,
  change: { displayName: string; groupId: string | null },
): Promise<void> {
  await scope.run(UPDATE_LOGIN, [scope.tenantId, id, change.displayName, change.groupId])
}

const SET_STATE = sql`update logins set state = $3, token_epoch = token_epoch + 1, version = version + 1, updated_at = now() where tenant_id = $1 and id = $2`

/** Every state change refuses the tokens given before. */
export async function setLoginState(scope: TenantScope, id: string, state: 'active' | 'frozen'): Promise<void> {
  await scope.run(SET_STATE, [scope.tenantId, id, state])
}

const SET_LEFT = sql`update logins set state = 'left', left_at = $3, phone = null, email = null, group_id = null,
  token_epoch = token_epoch + 1, version = version + 1, updated_at = now() where tenant_id = $1 and id = $2`

/** Phone and mail address are free for a new login; the user name stays, because the operation log names it. */
export async function setLoginLeft(scope: TenantScope, id: string, at: Date): Promise<void> {
  await scope.run(SET_LEFT, [scope.tenantId, id, at])
}

const INSERT_LOGIN = sql`insert into logins (id, tenant_id, kind, username, display_name, phone, email, password_hash, locale, group_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

/** Makes the login of somebody who was invited. */
export async function insertLogin(
  scope: SystemScope,
  login: {
    id: string
    tenantId: string
    kind: 'member' | 'operator'
    username: string
    displayName: string
    phone: string | null
    email: string | null
    passwordHash: string
    locale: string
    groupId: string | null
  },
): Promise<void> {
  await scope.run(INSERT_LOGIN, [
    login.id,
    login.tenantId,
    login.kind,
    login.username,
    login.displayName,
    login.phone,
    login.email,
    login.passwordHash,
    login.locale,
    login.groupId,
  ])
}

const UPDATE_END_USER = sql`update logins set display_name = $2, phone = $3, email = $4, locale = $5, version = version + 1, updated_at = now() where id = $1 and kind = 'end_user'`

/** What an end user is called and where he is reached. */
export async function updateEndUserLogin(
  scope: TenantScope,
  id: string,
  login: { name: string; phone: string | null; email: string | null; locale: string },
): Promise<void> {
  await scope.run(UPDATE_END_USER, [id, login.name, login.phone, login.email, login.locale])
}
