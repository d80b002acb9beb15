export { createSavedViewsModule, type SavedViewsModule } from './saved-views.module.ts'
export { ownedSavedViews } from './saved-views.repo.ts'
