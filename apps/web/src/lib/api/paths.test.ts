import { API_PATHS } from '@thingwright/contracts/api-paths'
import { expect, it } from 'vitest'
import { pathOf } from './paths.ts'

it('knows at once what needs no sign-in, and everything else once it has been fetched', async () => {
  expect(pathOf('identity.token')).toEqual(API_PATHS['identity.token'])
  const first = pathOf('devices.get')
  expect(first).toBeInstanceOf(Promise)
  expect(await first).toEqual(API_PATHS['devices.get'])
  expect(pathOf('devices.get')).toEqual(API_PATHS['devices.get'])
})
