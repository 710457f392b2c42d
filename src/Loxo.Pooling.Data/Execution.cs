namespace Loxo.Pooling.Data;

/// <summary>
/// A call of the provider that runs. Until it is disposed the wrapper counts as in use, also for the collector, and the provider's
/// connection is not handed on to anybody.
/// </summary>
internal readonly struct Execution : IDisposable
{
    public Execution(PooledConnection connection, PhysicalConnection physical)
    {
        (Connection, Physical) = (connection, physical);
        physical.BeginCall();
    }

    public PooledConnection Connection { get; }

    public PhysicalConnection Physical { get; }

    public void Dispose()
    {
        Physical.EndCall();
        GC.KeepAlive(Connection);
    }
}
