using System.Collections.Concurrent;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Interleavings;

/// <summary>
/// With 'Multiplexing', the end of a command gives the session back that the connection had for it, while another thread closes the connection. Real threads: the
/// steps are single accesses to memory.
/// </summary>
[Category("Slow")]
public sealed class BoundEndTests
{
    private const int Rounds = 50_000;

    [Test]
    public void A_session_goes_back_once_while_its_connection_is_closed([Values] bool isDisposed)
    {
        using var source = new PgDataSource(
            Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Multiplexing=true;Maximum Pool Size=4;Max Auto Prepare=0;Session Reset=Never"),
            loggers: null, new AnsweringServer(), new SimulatedTime());
        source.Context.Database.HidesNothing = static _ => true;
        var errors = new ConcurrentQueue<Exception>();
        PgConnection connection = null!;
        using var together = new Barrier(2);
        var closer = new Thread(() => Each(() => Meet(Close))) { IsBackground = true };
        closer.Start();
        Each(() =>
        {
            connection = source.OpenConnection();
            connection.OpenSession();
            Meet(() => connection.CommandEnded());
            connection.Dispose();
        });
        Assert.That(closer.Join(TimeSpan.FromMinutes(5)), Is.True);
        Assert.That(errors, Is.Empty);
        Assert.That(source.GetPoolStatistics()!.Busy, Is.Zero);

        void Close()
        {
            if (isDisposed)
                connection.Dispose();
            else
                connection.Close();
        }

        static void Each(Action round)
        {
            for (var i = 0; i < Rounds; i++)
                round();
        }

        void Meet(Action act)
        {
            together.SignalAndWait(TimeSpan.FromMinutes(5));
            try
            {
                act();
            }
            catch (Exception e)
            {
                errors.Enqueue(e);
            }
            together.SignalAndWait(TimeSpan.FromMinutes(5));
        }
    }
}
