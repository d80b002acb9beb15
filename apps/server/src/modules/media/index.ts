export { byteRange } from './byte-range.ts'
export { createMediaModule, type MediaModule, type MediaModuleDeps } from './media.module.ts'
export type { MediaQuota, MediaService } from './media.service.ts'
export { mediaTools } from './media.tools.ts'
export { claimMaterials, releaseMaterialsOf } from './media-owners.repo.ts'
export { type NamedMaterial, namedMaterials, samePublicMaterial } from './media-transfer.repo.ts'
export {
  type ByteRange,
  type ObjectStore,
  ObjectStoreError,
  type ObjectStoreProblem,
  type PutOptions,
  type StoredObject,
} from './object-store.port.ts'
