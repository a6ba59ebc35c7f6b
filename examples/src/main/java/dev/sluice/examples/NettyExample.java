package dev.sluice.examples;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

import java.nio.charset.StandardCharsets;

/**
 * A Netty that answers in capital letters. Nothing here knows of Sluice: options of the JVM decide
 * whose TCP it has.
 *
 * <p>Arguments: the address to serve at, and {@code visit} to say something to it and end.
 */
public final class NettyExample {
    private static final int PORT = 7000;

    private NettyExample() {}

    public static void main(String[] args) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
        Channel server =
                new ServerBootstrap()
                        .group(group)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(new Shout())
                        .bind(args[0], PORT)
                        .sync()
                        .channel();
        System.out.println("serving " + args[0] + " port " + PORT);
        if (args.length > 1 && args[1].equals("visit")) {
            visit(group, args[0]);
            server.close();
        }
        server.closeFuture().sync();
        group.shutdownGracefully();
    }

    /** Bytes in, the same in capitals out. */
    @Sharable
    private static final class Shout extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf said) {
            String text = said.toString(StandardCharsets.US_ASCII);
            context.writeAndFlush(
                    Unpooled.copiedBuffer(text.toUpperCase(), StandardCharsets.US_ASCII));
        }
    }

    private static void visit(EventLoopGroup group, String address) throws Exception {
        Channel client =
                new Bootstrap()
                        .group(group)
                        .channel(NioSocketChannel.class)
                        .handler(new Print())
                        .connect(address, PORT)
                        .sync()
                        .channel();
        client.writeAndFlush(Unpooled.copiedBuffer("hello\n", StandardCharsets.US_ASCII));
        client.closeFuture().sync();
    }

    /** Prints what comes, and ends with the line. */
    private static final class Print extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf answer) {
            String text = answer.toString(StandardCharsets.US_ASCII);
            System.out.print(text);
            if (text.endsWith("\n")) {
                context.close();
            }
        }
    }
}
