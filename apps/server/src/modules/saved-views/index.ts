export { createSavedViewsModule, type SavedViewsModule, savedViewsModule } from './saved-views.module.ts'
