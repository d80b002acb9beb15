export { videoModule } from './video.module.ts'
