/**
 * Runs on the audio thread: mixes to mono, converts to s16le, and posts chunks instead of one message per render quantum.
 * Plain JavaScript in a file of its own, because a worklet is loaded as it stands and must never become a data: address.
 *
 * In:  {type:'start'}, then {type:'stop', drainSamples} – stops after so many more samples.
 * Out: {type:'started'} from where on nothing is missed, {type:'chunk', pcm: ArrayBuffer}, at last {type:'drained'}.
 */
class PcmProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super();
    this.chunkSamples = processorOptions.chunkSamples;
    this.isRecording = false;
    this.drainSamples = Infinity;
    this.reset();
    this.port.onmessage = ({ data }) => {
      if (data.type === 'start') {
        this.isRecording = true;
        this.port.postMessage({ type: 'started' });
      } else if (data.type === 'stop') {
        this.drainSamples = data.drainSamples;
        this.finishWhenDrained();
      }
    };
  }

  reset() {
    this.view = new DataView(new ArrayBuffer(this.chunkSamples * 2));
    this.filled = 0;
  }

  /** Called per render quantum; `false` lets the processor die. */
  process([channels]) {
    if (this.drainSamples <= 0) return false;
    if (!this.isRecording) return true;
    const count = channels.length;
    // A source that is paused or has ended gives no channels: then there is nothing to send, but time goes on.
    const samples = count > 0 ? channels[0].length : 128;
    for (let i = 0; i < samples && count > 0; i++) {
      let sum = 0;
      for (let channel = 0; channel < count; channel++) sum += channels[channel][i];
      this.push(sum / count);
    }
    this.drainSamples -= samples;
    this.finishWhenDrained();
    return this.drainSamples > 0;
  }

  push(sample) {
    const clamped = Math.max(-1, Math.min(1, sample)) || 0;
    this.view.setInt16(this.filled * 2, Math.round(clamped < 0 ? clamped * 0x8000 : clamped * 0x7fff), true);
    this.filled += 1;
    if (this.filled === this.chunkSamples) this.post();
  }

  post() {
    const whole = this.view.buffer;
    const pcm = this.filled === this.chunkSamples ? whole : whole.slice(0, this.filled * 2);
    this.port.postMessage({ type: 'chunk', pcm }, [pcm]);
    this.reset();
  }

  finishWhenDrained() {
    if (this.drainSamples > 0 || this.isDone) return;
    this.isDone = true;
    if (this.filled > 0) this.post();
    this.port.postMessage({ type: 'drained' });
  }
}

registerProcessor('pcm', PcmProcessor);
