using System.Data.Common;
using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>
/// One command, batch or copy that somebody watches: its span, its duration, its log message, its statements' statistics. It can be used
/// again for the next one.
/// </summary>
/// <param name="target">Its data source.</param>
internal sealed class OperationTrace(TelemetryTarget target)
{
    private static long _lastCommandId;

    private Activity? _activity;
    private string _text = "";
    private string _parameters = "";
    private int _processId;
    private long _commandId;
    private bool _isCopy;
    private long _begin;
    private int _hasResponse;
    private int _hasEnded;

    /// <summary>Its statements; null unless statistics of them are kept.</summary>
    public OperationStatements? Statements { get; } = target.Statements is { } recorder ? new(recorder) : null;

    /// <summary>It begins.</summary>
    /// <param name="activity">Its span; null for none.</param>
    /// <param name="text">Its SQL, for the log.</param>
    /// <param name="processId">The server process, for the log.</param>
    /// <param name="parameters">The values of its parameters, for the log; empty for none.</param>
    /// <param name="isCopy">Whether it is a copy.</param>
    public OperationTrace Begin(Activity? activity, string text, int processId, string parameters = "", bool isCopy = false)
    {
        (_activity, _text, _parameters, _processId, _isCopy) = (activity, text, parameters, processId, isCopy);
        _commandId = Interlocked.Increment(ref _lastCommandId);
        _hasResponse = 0;
        _begin = Stopwatch.GetTimestamp();
        Volatile.Write(ref _hasEnded, 0);
        return this;
    }

    /// <summary>It has been under way for so long.</summary>
    public void BeganEarlier(TimeSpan by)
    {
        _begin -= (long)(by.TotalSeconds * Stopwatch.Frequency);
        if (_activity is { } activity)
            activity.SetStartTime(activity.StartTimeUtc - by);
    }

    /// <summary>The context that the server is to learn: <c>traceparent</c> of W3C's Trace Context. Null for none.</summary>
    public string? Context => target.PropagatesContext && _activity is { IdFormat: ActivityIdFormat.W3C } activity ? activity.Id : null;

    /// <summary>SQLSTATE; null for an error that is not the server's.</summary>
    public static string? Status(Exception error) => (error as DbException)?.SqlState;

    /// <summary>The class of an error, of which there are few.</summary>
    public static string ErrorType(Exception error) => Status(error) ?? error.GetType().FullName!;

    /// <summary>The first result, or the end, has come.</summary>
    public void Responded()
    {
        if (_activity is { } activity && target.MarksFirstResponse && Interlocked.Exchange(ref _hasResponse, 1) == 0)
            activity.AddEvent(new ActivityEvent("received-first-response"));
    }

    /// <summary>It is over. Only the first call counts: an error that breaks the connection may be told twice.</summary>
    /// <param name="error">Its error; null for none.</param>
    /// <param name="rows">The rows that it has returned; -1 if it is of a kind that returns none.</param>
    public void End(Exception? error, long rows = -1)
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) != 0)
            return;
        var elapsed = Stopwatch.GetElapsedTime(_begin);
        var activity = _activity;
        _activity = null;
        Statements?.End(elapsed, error);
        try
        {
            Measure(elapsed, error, rows);
            if (rows >= 0)
                activity?.SetTag("db.response.returned_rows", rows);
            TelemetryTarget.End(activity, error);
            Log(elapsed, error);
        }
        catch (Exception)
        {
            // Neither a listener nor a logger that throws is an error of the command.
        }
        (_text, _parameters) = ("", "");
    }

    /// <summary>The operation, if it is told of, is over with the error.</summary>
    /// <returns>The error.</returns>
    public static Exception End(OperationTrace? trace, Exception error)
    {
        trace?.End(error);
        return error;
    }

    private void Measure(TimeSpan elapsed, Exception? error, long rows)
    {
        if (Telemetry.OperationDuration.Enabled)
        {
            var tags = target.ServerTags;
            if (error is not null)
            {
                tags.Add("error.type", ErrorType(error));
                if (Status(error) is { } status)
                    tags.Add("db.response.status_code", status);
            }
            Telemetry.OperationDuration.Record(elapsed.TotalSeconds, tags);
        }
        if (rows >= 0 && error is null)
            Telemetry.ReturnedRows.Record(rows, target.ServerTags);
    }

    private void Log(TimeSpan elapsed, Exception? error)
    {
        if ((_isCopy ? target.CopyLog : target.Log) is not { } log)
            return;
        var isSlow = target.SlowAfter != Timeout.InfiniteTimeSpan && elapsed >= target.SlowAfter;
        if (!log.IsEnabled(error is not null ? LogLevel.Error : isSlow ? LogLevel.Warning : LogLevel.Information))
            return;
        using var scope = log.BeginScope(new LogScope(_processId, _commandId));
        var (milliseconds, shown) = (elapsed.TotalMilliseconds, CommandLog.Shown(_text));
        if (_isCopy)
            LogCopy(log, milliseconds, shown, isSlow, error);
        else if (error is not null)
            CommandLog.Failed(log, milliseconds, shown, _parameters, error);
        else if (isSlow)
            CommandLog.Slow(log, milliseconds, shown, _parameters);
        else
            CommandLog.Executed(log, milliseconds, shown, _parameters);
    }

    private static void LogCopy(ILogger log, double milliseconds, string statement, bool isSlow, Exception? error)
    {
        if (error is not null)
            CopyLog.Failed(log, milliseconds, statement, error);
        else if (isSlow)
            CopyLog.Slow(log, milliseconds, statement);
        else
            CopyLog.Copied(log, milliseconds, statement);
    }
}
