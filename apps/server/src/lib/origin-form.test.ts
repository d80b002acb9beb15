import { describe, expect, it } from 'vitest'
import { toOriginForm } from './origin-form.ts'

const formOf = (url: string) => {
  const request = { url, headers: { host: 'was' } }
  toOriginForm(request)
  return [request.url, request.headers.host]
}

describe('the target of a request', () => {
  it.each([
    ['http://iot.example/device/v1/p/d/property', '/device/v1/p/d/property', 'iot.example'],
    ['HTTPS://iot.example:8443?x=1', '/?x=1', 'iot.example:8443'],
    ['http://user@iot.example/a//b', '/a//b', 'iot.example'],
    ['http://iot.example', '/', 'iot.example'],
  ])('%s is that of its path', (url, path, host) => expect(formOf(url)).toEqual([path, host]))

  it('stays as it is where it is a path, whatever stands in it', () => {
    expect(formOf('/a?to=http://b/c')).toEqual(['/a?to=http://b/c', 'was'])
    expect(formOf('*')).toEqual(['*', 'was'])
  })
})
