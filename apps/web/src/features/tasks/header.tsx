export { TaskButton as HeaderItem } from './components/task-button.tsx'
