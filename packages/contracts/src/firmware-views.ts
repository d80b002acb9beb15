import { Type } from 'typebox'
import { Id, Nullable, Words } from './common.ts'
import { FIRMWARE_KINDS } from './firmware-schemas.ts'

/** One package on a device's way from its version to another. */
export const FirmwareStep = Type.Object({
  packageId: Id,
  kind: Words(FIRMWARE_KINDS),
  fromVersion: Nullable(Type.String()),
  version: Type.String(),
  size: Type.Integer(),
})
