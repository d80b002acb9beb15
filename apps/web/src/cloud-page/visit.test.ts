// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openPage } from './visit.ts'

const asked: { path: string; authorization: string | null; body: unknown }[] = []
let answers: Record<string, { status: number; body: object }> = {}

beforeEach(() => {
  asked.length = 0
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    asked.push({
      path,
      authorization: new Headers(init.headers).get('authorization'),
      body: JSON.parse(String(init.body ?? 'null')),
    })
    const { status, body } = answers[path.includes('page-visits') ? 'person' : 'stranger']!
    return new Response(JSON.stringify(body), { status })
  })
  localStorage.setItem('userToken', JSON.stringify({ access_token: 'mine' }))
})
afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

const said = (code: string, status = 403) => ({ status, body: { code, message: code } })
const shown = (name: string) => ({ status: 200, body: { name } })

describe('opening a page', () => {
  it('is done as who is signed in at the console, so that he can work it', async () => {
    answers = { person: shown('as himself'), stranger: shown('as a stranger') }
    expect(await openPage('east', { devices: { pump: 'p' } })).toEqual({ name: 'as himself' })
    expect(asked).toEqual([
      { path: '/api/v1/page-visits/east', authorization: 'Bearer mine', body: { devices: { pump: 'p' } } },
    ])
  })

  it('is done as everybody does where the sign-in is over', async () => {
    answers = { person: said('auth.token_invalid', 401), stranger: shown('as a stranger') }
    expect(await openPage('east', {})).toEqual({ name: 'as a stranger' })
    answers.stranger = said('page.sign_in_required')
    await expect(openPage('east', {})).rejects.toMatchObject({ code: 'page.sign_in_required' })
  })

  it('tells who is signed in why he does not come in, and a passcode its own way', async () => {
    answers = { person: said('page.role_required'), stranger: said('page.sign_in_required') }
    await expect(openPage('east', {})).rejects.toMatchObject({ code: 'page.role_required' })
    asked.length = 0
    answers = { person: said('page.passcode_required'), stranger: shown('with the passcode') }
    expect(await openPage('east', { passcode: 'river' })).toEqual({ name: 'with the passcode' })
    expect(asked.map(({ path }) => path)).toEqual(['/api/v1/public/pages/east/enter'])
  })
})
