import { describe, expect, it } from 'vitest'
import { bodyToSend, headersToSend, INTERFACE_TYPE, type InterfaceType, isSignIn } from './header-kinds.ts'

const token = { access_token: 'tok', thingwrightAppId: 'app-1', id: 'u-1', username: '陈 工' }
const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
const BASIC = 'Basic d2ViOndlYg=='

const of = (kind: InterfaceType | null, signedIn = true) =>
  Object.fromEntries(
    headersToSend(new Headers(kind === null ? {} : { [INTERFACE_TYPE]: kind }), {
      token: signedIn ? token : null,
      locale: 'zh',
    }),
  )

const who = { 'x-user-id': 'u-1', 'x-username': '%E9%99%88%20%E5%B7%A5', 'accept-language': 'zh' }
const bearer = { authorization: 'Bearer tok', thingwrightappid: 'app-1' }

describe('header sets', () => {
  it.each([
    ['accountSign', { 'content-type': FORM, authorization: BASIC, ...who }],
    ['phoneSign', { 'content-type': FORM, authorization: BASIC, ...who }],
    ['register', { 'content-type': JSON_TYPE, authorization: BASIC, ...who }],
    ['Refresh-token', { 'content-type': FORM, authorization: BASIC, ...who }],
    ['form', { 'content-type': FORM, ...bearer, ...who }],
    ['formNoToken', { 'content-type': FORM, ...who }],
    ['form-data', { ...bearer, ...who }],
    ['originalUpload', { ...bearer, ...who }],
    ['postNoToken', { 'content-type': JSON_TYPE, ...who }],
    ['default', { 'content-type': JSON_TYPE, ...bearer, ...who }],
    [null, { 'content-type': JSON_TYPE, ...bearer, ...who }],
  ] as const)('%s sends exactly its headers, the marker never', (kind, expected) => {
    expect(of(kind)).toEqual(expected)
  })

  it('says nothing about a person nobody is', () => {
    expect(of('default', false)).toEqual({ 'content-type': JSON_TYPE, 'accept-language': 'zh' })
  })

  it('treats an unknown marker as the default', () => {
    expect(of('nonsense' as InterfaceType)).toEqual(of('default'))
  })

  it('encodes bodies as the set says and leaves files alone', () => {
    const form = bodyToSend('accountSign', { grant_type: 'password', password: 'a&b=c', phone: undefined })
    expect(String(form)).toBe('grant_type=password&password=a%26b%3Dc')
    expect(bodyToSend('default', { a: [1] })).toBe('{"a":[1]}')
    const file = new Blob(['x'])
    expect(bodyToSend('originalUpload', file)).toBe(file)
    expect(bodyToSend('default', undefined)).toBeUndefined()
  })

  it('knows which requests are sign-ins', () => {
    const kinds: InterfaceType[] = ['accountSign', 'phoneSign', 'register', 'Refresh-token']
    expect(kinds.every(isSignIn)).toBe(true)
    expect(isSignIn('default')).toBe(false)
    expect(isSignIn('postNoToken')).toBe(false)
  })
})
