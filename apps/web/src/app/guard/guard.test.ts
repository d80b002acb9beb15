import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { describe, expect, it, vi } from 'vitest'
import { type GuardDeps, type GuardTarget, guard } from './guard.ts'

const target = (path: string, search = ''): GuardTarget => {
  const route = WEB_ROUTES.find(r => r.path === path)!
  return { key: path, url: path + search, flags: route, devOnly: route.devOnly === true }
}

const deps = (given: Partial<GuardDeps> = {}): GuardDeps => ({
  devFlag: false,
  signedIn: true,
  permissions: async () => ['/manage/product', '/manage/device'],
  firstEntry: async () => '/manage/product',
  accountStatus: async () => 2,
  ...given,
})
const anonymous = deps({
  signedIn: false,
  permissions: async () => {
    throw new Error('nobody may be asked about nobody')
  },
  accountStatus: async () => {
    throw new Error('nobody may be asked about nobody')
  },
})

const ALLOW = { kind: 'allow' }

describe('guard, step 1: the menu editor', () => {
  it('is not there without the dev flag, for anybody', async () => {
    for (const d of [deps(), anonymous])
      expect(await guard(target('/system/menuList'), null, d)).toEqual({ kind: 'redirect', to: '/index' })
  })

  it('needs a sign-in with the dev flag, but no menu permission', async () => {
    expect(await guard(target('/system/menuList'), null, { ...anonymous, devFlag: true })).toMatchObject({
      message: 'notSignedIn',
    })
    expect(await guard(target('/system/menuList'), null, deps({ devFlag: true }))).toEqual(ALLOW)
  })
})

describe('guard, links for their holder', () => {
  it.each(['?invite=1', '?reset=1', '?a=b&invite=1'])(
    '/index%s stays open for somebody who is signed in',
    async search => {
      expect(await guard(target('/index', search), null, deps())).toEqual(ALLOW)
      expect(await guard(target('/index', search), null, anonymous)).toEqual(ALLOW)
    },
  )

  it('opens nothing else', async () => {
    expect(await guard(target('/index', '?register=1'), null, deps())).toMatchObject({ kind: 'redirect' })
    expect(await guard(target('/manage/user', '?invite=1'), null, deps())).not.toEqual(ALLOW)
    expect(await guard(target('/manage/device', '?invite=1'), null, anonymous)).toMatchObject({ kind: 'redirect' })
  })
})

describe('guard, step 2: not signed in', () => {
  it('keeps the target with its query and goes to /index', async () => {
    expect(await guard(target('/manage/device', '?q=1'), null, anonymous)).toEqual({
      kind: 'redirect',
      to: '/index',
      message: 'notSignedIn',
      remember: '/manage/device?q=1',
    })
  })

  it('holds for every route that asks for it', async () => {
    for (const route of WEB_ROUTES.filter(r => r.auth && !r.devOnly))
      expect(await guard(target(route.path), null, anonymous), route.path).toMatchObject({ message: 'notSignedIn' })
  })
})

describe('guard, step 3: the company account', () => {
  it.each([
    [0, 'notActivated'],
    [1, 'expired'],
  ])('status %i leads to the account page', async (status, message) => {
    expect(await guard(target('/manage/device'), null, deps({ accountStatus: async () => status }))).toEqual({
      kind: 'redirect',
      to: '/alonePage/accountNotActivated',
      message,
    })
  })

  it.each([3, -1, null, '2', undefined])('status %j is a failed check and ends the session', async status => {
    expect(await guard(target('/manage/device'), null, deps({ accountStatus: async () => status }))).toEqual({
      kind: 'redirect',
      to: '/index',
      message: 'statusFailed',
      endSession: true,
    })
  })

  it('a request that fails is a failed check', async () => {
    const failing = deps({
      accountStatus: async () => {
        throw new Error('500')
      },
    })
    expect(await guard(target('/manage/device'), null, failing)).toMatchObject({ message: 'statusFailed' })
  })

  it('is not asked where the route does not say so', async () => {
    const accountStatus = vi.fn(async () => 0)
    expect(await guard(target('/alonePage/accountNotActivated'), null, deps({ accountStatus }))).toEqual(ALLOW)
    expect(await guard(target('/alonePage/TermsService'), null, deps({ accountStatus }))).toEqual(ALLOW)
    expect(accountStatus).not.toHaveBeenCalled()
  })

  it('comes before the menu permission', async () => {
    expect(await guard(target('/admin/member'), null, deps({ accountStatus: async () => 1 }))).toMatchObject({
      message: 'expired',
    })
  })
})

describe('guard, step 3: the menu permission', () => {
  it('opens what is permitted', async () => {
    expect(await guard(target('/manage/device'), '/manage/product', deps())).toEqual(ALLOW)
  })

  it('blocks from another page', async () => {
    expect(await guard(target('/admin/member'), '/manage/product', deps())).toEqual({
      kind: 'block',
      message: 'forbidden',
    })
  })

  it.each([null, '/'])('from root (%j) goes to the no-permission page', async from => {
    expect(await guard(target('/admin/member'), from, deps())).toEqual({
      kind: 'redirect',
      to: '/alonePage/NoPermissio',
      message: 'sectionForbidden',
    })
  })

  it.each(['/index', '/alonePage/NoPermissio', '/alonePage/TermsService'])(
    'from %s goes to the first permitted entry, silently',
    async from => {
      expect(await guard(target('/admin/member'), from, deps())).toEqual({ kind: 'redirect', to: '/manage/product' })
    },
  )

  it('does not take a longer name for a public place', async () => {
    expect(await guard(target('/admin/member'), '/indexes', deps())).toMatchObject({ kind: 'block' })
  })

  it('sends a signed-in person from /index to the first entry, on a cold load too', async () => {
    for (const from of [null, '/index', '/manage/product'])
      expect(await guard(target('/index'), from, deps())).toEqual({ kind: 'redirect', to: '/manage/product' })
  })

  it('says so when there is no permission at all', async () => {
    const none = deps({ permissions: async () => [], firstEntry: async () => null })
    const expected = { kind: 'redirect', to: '/alonePage/NoPermissio', message: 'noPermissionAtAll' }
    expect(await guard(target('/index'), null, none)).toEqual(expected)
    expect(await guard(target('/manage/device'), '/index', none)).toEqual(expected)
  })

  it('is nothing to anonymous visitors of public routes', async () => {
    for (const route of WEB_ROUTES.filter(r => !r.auth))
      expect(await guard(target(route.path), null, anonymous), route.path).toEqual(ALLOW)
  })

  it('does not keep anybody from a public page when it cannot be loaded', async () => {
    const failing = deps({
      permissions: async () => {
        throw new Error('503')
      },
    })
    expect(await guard(target('/alonePage/TermsService'), null, failing)).toEqual(ALLOW)
    await expect(guard(target('/manage/device'), null, failing)).rejects.toThrow('503')
  })
})

describe('guard, step 5: a route without the auth flag', () => {
  it.each([true, false])('is blocked with its message for 5 s (signed in: %s)', async signedIn => {
    const broken = { ...target('/manage/device'), flags: { ...target('/manage/device').flags, auth: undefined } }
    expect(await guard(broken, null, deps({ signedIn }))).toEqual({
      kind: 'block',
      message: 'flagMissing',
      shownMs: 5000,
    })
  })
})
