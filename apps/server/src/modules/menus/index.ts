export { menusRoutes } from './menus.routes.ts'
export { createMenusService, type MenusService } from './menus.service.ts'
