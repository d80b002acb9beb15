import { call } from './api-client.ts'
import { goTo } from './navigation.ts'
import { forgetPush } from './push.ts'
import { endSession } from './session.ts'
import { session } from './storage.ts'

/** Signs out: the server ends the session, this browser forgets the person, the sign-in page is opened. */
export async function signOut(): Promise<void> {
  await forgetPush()
  // Out is out here, even when the server cannot be told.
  await call('identity.revoke', { body: {} }).catch(() => undefined)
  endSession()
  session.remove('redirectURL', 'part.route')
  goTo('/index')
}
