namespace Loxo.Pooling.Core;

// What happens by itself.
internal sealed partial class PoolCore<T, TSteps>
{
    void IAlarmed.OnAlarm(Alarm alarm) => ExpireWaiters(_clock.Now);

    public void Start()
    {
    }
}
