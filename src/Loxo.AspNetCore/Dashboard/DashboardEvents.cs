using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Loxo.Dashboard;

/// <summary>
/// Sends the state to a page as server-sent events. Each page gets the state as it is when the page has taken the one before, so that a
/// slow page holds up nothing and no memory grows.
/// </summary>
/// <param name="sampler">Where the states come from.</param>
/// <param name="maximum">The most pages at a time.</param>
/// <param name="stopping">Cancelled when the application ends, which must not wait for the pages.</param>
internal sealed class DashboardEvents(DashboardSampler sampler, int maximum, CancellationToken stopping)
{
    // A page that takes nothing for so long is cut off.
    private static readonly TimeSpan _longestWrite = TimeSpan.FromSeconds(10);
    // Then the page asks again, and whether it may is decided again.
    private static readonly TimeSpan _longestStream = TimeSpan.FromMinutes(10);

    private int _clients;

    /// <summary>The pages that are being updated.</summary>
    public int Clients => Volatile.Read(ref _clients);

    public async Task ServeAsync(HttpContext context)
    {
        try
        {
            if (Interlocked.Increment(ref _clients) > maximum)
            {
                context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
                return;
            }
            await SendAsync(context).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The page is gone, the application ends, or the time of the stream is over.
        }
        finally
        {
            Interlocked.Decrement(ref _clients);
        }
    }

    private async Task SendAsync(HttpContext context)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        end.CancelAfter(_longestStream);
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers["X-Accel-Buffering"] = "no";
        while (true)
        {
            var next = sampler.Next;
            await WriteAsync(context, end.Token).ConfigureAwait(false);
            await next.WaitAsync(end.Token).ConfigureAwait(false);
        }
    }

    private async ValueTask WriteAsync(HttpContext context, CancellationToken end)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(end);
        limit.CancelAfter(_longestWrite);
        try
        {
            var body = context.Response.BodyWriter;
            await body.WriteAsync("data: "u8.ToArray(), limit.Token).ConfigureAwait(false);
            await body.WriteAsync(sampler.State, limit.Token).ConfigureAwait(false);
            await body.WriteAsync("\n\n"u8.ToArray(), limit.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // Half an event must not be taken for a whole one.
            context.Abort();
            throw;
        }
    }
}
