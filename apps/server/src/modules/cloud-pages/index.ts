export { type CloudPagesModule, createCloudPagesModule } from './cloud-pages.module.ts'
