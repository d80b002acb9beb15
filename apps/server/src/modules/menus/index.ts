export { createMenuEditor, type MenuEditorService } from './menu-editor.service.ts'
export { menusRoutes } from './menus.routes.ts'
export { createMenusService, type MenusService } from './menus.service.ts'
export { MENUS_TOPIC } from './menus-topic.ts'
