export { type DemoPage, seedDemoPages } from './cloud-pages.demo.ts'
export { type CloudPagesModule, createCloudPagesModule } from './cloud-pages.module.ts'
export { cloudPagesTools } from './cloud-pages.tools.ts'
export { pageActions } from './page-actions.ts'
