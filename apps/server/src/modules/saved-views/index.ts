export { createSavedViewsModule, type SavedViewsModule, savedViewsModule } from './saved-views.module.ts'
export { ownedSavedViews } from './saved-views.repo.ts'
