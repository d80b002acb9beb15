import { surviveRejections } from '../lib/background.ts'
import { runGatewayProcess } from './process/process.ts'
import { startGateway } from './process/start.ts'

surviveRejections()
// The forked child: everything it must know comes over the channel to its parent.
runGatewayProcess((options, outlet) => startGateway(options, outlet))
