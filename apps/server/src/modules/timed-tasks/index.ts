export { sceneAction } from './scene-action.ts'
export { type DemoTimedTasks, seedDemoTimedTasks } from './timed-tasks.demo.ts'
export { createTimedTasksModule, type TimedTasksModule } from './timed-tasks.module.ts'
export { timedTasksTools } from './timed-tasks.tools.ts'
