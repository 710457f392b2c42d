namespace Loxo.Pooling.Data;

/// <summary>A running call of the provider: keeps the wrapper reachable and the provider's connection rented.</summary>
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
