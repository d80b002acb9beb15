export { type NamedCamera, namedCameras, sameCamera } from './channel-transfer.repo.ts'
export { videoModule } from './video.module.ts'
